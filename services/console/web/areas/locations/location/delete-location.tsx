import { Alert, Anchor, Button, Text } from '@mantine/core'
import { useId } from 'react'
import { ConfirmButton } from '../../../parts/form/confirm-button.tsx'
import { useDeleted } from '../../../parts/form/undo.tsx'
import { api } from '../../../session/api.ts'
import { reloadedLocation, restoreLocation } from '../../../parts/load/restore.ts'
import { useBranch } from '../../../parts/locations/use-branch.ts'
import type { Location } from '../../../parts/locations/location-fields.ts'
import { reportingText } from './reporting-text.ts'
import { useReportingAntennas } from './use-reporting-antennas.ts'

export const SUB_LOCATIONS = 'sub-locations'

/** Deletes a location without sub-locations, and offers to undo it. With sub-locations, it says what to do. */
export function DeleteLocation({ location }: { location: Location }) {
  const { data } = useBranch(location.id)
  if (!data) return null // the first page of the tree below, on its way
  const count = data.pages.at(-1)?.total_count ?? 0
  return count === 0 ? <Delete location={location} /> : <NotYet location={location} count={count} />
}

function Delete({ location: { id, name } }: { location: Location }) {
  const undo = () => restoreLocation(id)
  const onDone = useDeleted({ list: '/locations', key: 'location', id, name, undo, reload: reloadedLocation })
  return (
    <ConfirmButton
      label="Delete"
      ariaLabel={`Delete ${name}`}
      work={() => api.delete('/api/v1/locations/{location_id}', { path: { location_id: id } })}
      explain={({ type }) =>
        type === 'conflict'
          ? {
              title: `${name} has sub-locations now`,
              detail: 'Somebody added one in the meantime. Move or delete it first.',
            }
          : undefined
      }
      reload={[['locations'], ['occupancy']]}
      onDone={onDone}
    >
      <Antennas locationId={id} />
      {`This deletes ${name} and its tags. The history of assets stays. You can restore the location at any time. Until then, others can use its external key and its tags.`}
    </ConfirmButton>
  )
}

/** The antennas that would lose their location. */
function Antennas({ locationId }: { locationId: number }) {
  const { data, isError } = useReportingAntennas(locationId)
  if (isError) return <Text size="sm">Antennas that report here could not be looked up.</Text>
  if (!data) return <Text size="sm">Looking for antennas that report here …</Text>
  const text = reportingText(data.antennas, data.more)
  if (text === undefined) return null
  return (
    <Alert color="yellow" variant="light" mb="sm">
      {text}
    </Alert>
  )
}

/** Says why not, and where the sub-locations are. */
function NotYet({ location: { name }, count }: { location: Location; count: number }) {
  const reasonId = useId()
  const counted = count === 1 ? '1 sub-location' : `${new Intl.NumberFormat().format(count)} sub-locations`
  return (
    <>
      <Text size="sm" id={reasonId}>
        {'Cannot be deleted: it has '}
        <Anchor href={`#${SUB_LOCATIONS}`} underline="always" inherit>
          {counted}
        </Anchor>
        {`. Move or delete ${count === 1 ? 'it' : 'them'} first.`}
      </Text>
      <Button variant="default" aria-label={`Delete ${name}`} aria-describedby={reasonId} disabled>
        Delete
      </Button>
    </>
  )
}

import { Stack } from '@mantine/core'
import { useState } from 'react'
import { BackLink } from '../../parts/page/back-link.tsx'
import { Loaded } from '../../parts/load/loaded.tsx'
import { LocationPicker, type PickedLocation } from '../../parts/locations/location-picker.tsx'
import { Screen } from '../../parts/page/screen.tsx'
import { RestoreForm } from '../../parts/form/restore-form.tsx'
import {
  type ParentToRestore,
  reloadedLocation,
  restoreLocation,
  useLocationPreview,
} from '../../parts/load/restore.ts'

export const NO_LOCATION = { name: 'location', list: 'All locations', to: '/locations' }

/** In place of a location that the API does not show, like `DeletedAsset`. */
export function DeletedLocation({ id }: { id: number }) {
  const preview = useLocationPreview(id)
  const [parent, setParent] = useState<PickedLocation | null>(null)
  return (
    <Screen
      title={preview.data?.location.name ?? 'Location'}
      lead={<BackLink list={NO_LOCATION.list} to={NO_LOCATION.to} />}
    >
      <Loaded query={preview} what="the location" missing={NO_LOCATION}>
        {({ location, parent: former, tags, key_held_by: keyHeldBy }) => {
          const needsParent = former !== null && former.deleted_at !== null
          return (
            <RestoreForm
              noun="location"
              thing={location}
              tags={tags}
              keyHeldBy={keyHeldBy}
              effect={`${placeOf(former)}The history shows its name again. Assets that were last seen there are there again.`}
              restore={(key) =>
                restoreLocation(id, {
                  ...(key !== undefined && { external_key: key }),
                  ...(needsParent && { parent_id: parent?.id ?? null }),
                })
              }
              reload={reloadedLocation}
              onFailure={() => void preview.refetch()}
              field="parent_id"
            >
              {needsParent && (
                <Stack maw={420}>
                  <LocationPicker
                    label="Restore below"
                    description={`Its parent location ${former.name} is deleted. Restore that first, choose another one, or leave this empty for the top level.`}
                    value={parent}
                    onChange={setParent}
                    exclude={id}
                  />
                </Stack>
              )}
            </RestoreForm>
          )
        }}
      </Loaded>
    </Screen>
  )
}

const placeOf = (parent: ParentToRestore | null) =>
  parent === null
    ? 'It is at the top level again. '
    : parent.deleted_at === null
      ? `It is a sub-location of ${parent.name} again. `
      : ''

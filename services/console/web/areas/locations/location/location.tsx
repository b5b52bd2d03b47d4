import { Grid, Stack, Text, Anchor, Breadcrumbs, Button } from '@mantine/core'
import { useParams, Link } from '@tanstack/react-router'
import { FloorCard } from '../../floor/floor-card.tsx'
import { OpenAlerts } from '../../../parts/alerts/open-alerts.tsx'
import { ChangeHistory } from '../../../parts/audit/change-history.tsx'
import { Card } from '../../../parts/page/card.tsx'
import { DataCard } from '../../../parts/table/data-card.tsx'
import { failureOf } from '../../../parts/load/failure.ts'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { RenameKey } from '../../../parts/form/rename-key.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { TagsCard } from '../../../parts/things/tags-card.tsx'
import { useVisit } from '../../../parts/page/visits.ts'
import { api } from '../../../session/api.ts'
import { NewLocation } from '../locations/new-location.tsx'
import { LocationTree } from '../../../parts/locations/tree.tsx'
import { DeletedLocation, NO_LOCATION } from '../../deleted/deleted-location.tsx'
import { DeleteLocation, SUB_LOCATIONS } from './delete-location.tsx'
import { HereNow } from './here-now.tsx'
import { StaysHere } from './stays-here.tsx'
import { LOCATION_FIELDS, type Location } from '../../../parts/locations/location-fields.ts'
import { useAncestors, useLocationView } from '../../../parts/locations/location-queries.ts'
import { MovementsByHour } from '../../../parts/time/movements-by-hour.tsx'
import { LocationLink } from '../../../parts/things/links.tsx'
import { useDisclosure } from '@mantine/hooks'
import type { components } from '@whereabouts/client/client'
import { FormModal } from '../../../parts/form/form-modal.tsx'
import type { PickedLocation } from '../../../parts/locations/location-picker.tsx'
import { ResourceForm } from '../../../parts/form/resource-form.tsx'
import { ForMembers } from '../../../session/for-members.tsx'

/** Prefixes of the query keys that contain data of a location. */
const RELOADED = [['location'], ['locations'], ['report'], ['occupancy']] as const

/** One location and the assets there now. */
export default function LocationScreen() {
  const { locationId }: { locationId?: string } = useParams({ strict: false })
  const id = Number(locationId)
  const location = useLocationView(id)
  useVisit('location', location.data)
  if (location.isError && failureOf(location.error).isMissing) return <DeletedLocation key={id} id={id} />
  if (location.data) return <Shown key={id} location={location.data} />
  return (
    <Screen title="Location">
      <Loaded query={location} what="the location" missing={NO_LOCATION}>
        {() => null}
      </Loaded>
    </Screen>
  )
}

function Shown({ location }: { location: Location }) {
  const { id, name, external_key } = location
  return (
    <Screen
      title={name}
      lead={<Breadcrumb id={id} name={name} />}
      actions={
        <ForMembers isExplained>
          <Actions location={location} />
        </ForMembers>
      }
    >
      <Grid>
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack>
            <OpenAlerts kind="location" id={id} />
            <FloorCard locationId={id} />
            <HereNow id={id} name={name} />
            <StaysHere id={id} />
            <MovementsByHour id={id} />
            <ChangeHistory type="location" id={id} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack>
            <div id={SUB_LOCATIONS} tabIndex={-1}>
              <Card
                title="Sub-locations"
                actions={
                  <ForMembers>
                    <NewLocation
                      label="Add sub-location"
                      parent={{ id, name, external_key }}
                      variant="default"
                    />
                  </ForMembers>
                }
              >
                <LocationTree
                  label={`Sub-locations of ${name}`}
                  parentId={id}
                  empty={
                    <Text size="sm" c="dimmed">
                      No sub-locations.
                    </Text>
                  }
                />
              </Card>
            </div>
            <DataCard fields={LOCATION_FIELDS} resource={location} />
            <LocationTags location={location} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Screen>
  )
}

function Actions({ location }: { location: Location }) {
  const { data: ancestors } = useAncestors(location.id)
  const parent = ancestors?.find(({ id }) => id === location.parent_id) ?? null
  return (
    <>
      {(parent !== null || location.parent_id === null) && (
        <EditLocation location={location} parent={parent} />
      )}
      <RenameKey
        current={location.external_key}
        rename={(body) =>
          api.post('/api/v1/locations/{location_id}/rename', { path: { location_id: location.id }, body })
        }
        reload={RELOADED}
      />
      <DeleteLocation location={location} />
    </>
  )
}

function LocationTags({ location: { id, tags } }: { location: Location }) {
  const path = { location_id: id }
  return (
    <TagsCard
      tags={tags}
      owner="this location"
      attach={(body) => api.post('/api/v1/locations/{location_id}/tags', { path, body })}
      detach={(tag_id) =>
        api.delete('/api/v1/locations/{location_id}/tags/{tag_id}', { path: { ...path, tag_id } })
      }
      reload={RELOADED}
    />
  )
}

/** The path from the top level to a location. */
function Breadcrumb({ id, name }: { id: number; name: string }) {
  const { data = [] } = useAncestors(id)
  return (
    <nav aria-label="Breadcrumb">
      <Breadcrumbs separator="›" style={{ flexWrap: 'wrap' }}>
        <Anchor component={Link} to="/locations" size="sm">
          Locations
        </Anchor>
        {data.map((ancestor) => (
          <LocationLink key={ancestor.id} id={ancestor.id}>
            {ancestor.name}
          </LocationLink>
        ))}
        <Text size="sm" aria-current="page">
          {name}
        </Text>
      </Breadcrumbs>
    </nav>
  )
}

type Props = { location: Location; parent: PickedLocation | null }

function EditLocation({ location, parent }: Props) {
  const [isOpen, { open, close }] = useDisclosure(false)
  return (
    <>
      <Button variant="default" onClick={open}>
        Edit
      </Button>
      <FormModal opened={isOpen} onClose={close} title={`Edit ${location.name}`}>
        <ResourceForm
          fields={LOCATION_FIELDS}
          resource={location}
          known={{ parent_id: parent }}
          label="Save"
          request={(body: components['schemas']['LocationPatch']) =>
            api.patch('/api/v1/locations/{location_id}', { path: { location_id: location.id }, body })
          }
          reload={RELOADED}
          onDone={close}
          onCancel={close}
        />
      </FormModal>
    </>
  )
}

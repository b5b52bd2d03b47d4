import { Anchor, Breadcrumbs, Button, Group, Loader, Text } from '@mantine/core'
import IconLayout from '@tabler/icons-react/icons/IconLayout'
import { lazy, Suspense, useMemo } from 'react'
import { FloorLegend } from '../../floor/floor-legend.tsx'
import { FloorPanel } from '../../floor/floor-panel.tsx'
import { FloorPlan, type Selection } from '../../floor/floor-plan.tsx'
import type { Places } from '../../floor/places.ts'
import { PlaybackBar } from '../../floor/playback/playback-bar.tsx'
import { pathTo, roomsOf, type Room } from '../../floor/rooms.ts'
import { useFloor, type Floor } from '../../floor/use-floor.ts'
import { type FloorReader, useFloorReaders } from '../../floor/readers/use-floor-readers.ts'
import { EVERYTHING } from '../../floor/use-plans.ts'
import { HeatBar } from '../../floor/heat/heat-bar.tsx'
import { useHeat } from '../../floor/heat/use-heat.ts'
import { NOTHING_NOTICED, useNoticed } from '../../floor/use-noticed.ts'
import { usePlayback } from '../../floor/playback/use-playback.ts'
import { FailureNotice } from '../../../parts/load/failure-notice.tsx'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { Icon } from '../../../parts/page/icon.tsx'
import { Loaded, Waiting } from '../../../parts/load/loaded.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { useSession } from '../../../session/use-session.ts'

const PlanEditor = lazy(() => import('../../floor/later/plan-editor.tsx'))

/** Everything on one picture. The address has the room and the selection, so that a view can be sent to somebody. */
export default function FloorScreen() {
  const floor = useFloor()
  return (
    <Screen title="Floor">
      <Loaded query={floor} what="the floor">
        {(data) =>
          data.building.roots.length === 0 ? (
            <EmptyState title="No locations yet">
              Create locations, or import them. The floor draws itself from them.
            </EmptyState>
          ) : (
            <Picture floor={data} />
          )
        }
      </Loaded>
    </Screen>
  )
}

function Picture({ floor: live }: { floor: Floor }) {
  const playing = usePlayback()
  const { places, timeline } = playing.player
  const types = useMemo(() => timeline?.types(), [timeline])
  const floor = useMemo(() => (places && types ? pastOf(live, places, types) : live), [live, places, types])
  const [url, setUrl] = useUrlState({ room: '', selected: '', arrange: '', image: '' })
  const { isAdmin } = useSession()
  const isShown = !playing.isPast || places !== undefined // never now in place of the past
  const focus = floor.building.rooms.get(Number(url.room))
  const shown = useHeat(floor.building, focus, timeline)
  const selected = selectionOf(url.selected)
  const noticedNow = useNoticed(live)
  const noticed = places ? NOTHING_NOTICED : noticedNow // what was not seen until now
  const onSelect = ({ kind, id }: Selection) => setUrl({ selected: `${kind}-${id}` })
  const onEnter = (room: Room | undefined) => setUrl({ room: room ? String(room.id) : '', selected: '' })
  if (url.arrange !== '' && isAdmin)
    return <Arrange floor={live} focus={focus} onDone={() => setUrl({ arrange: '' })} />
  return (
    <>
      <Group justify="space-between">
        <Group gap="sm">
          <Path focus={focus} onEnter={onEnter} />
          {isAdmin && (
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<Icon of={IconLayout} size={14} />}
              onClick={() => setUrl({ arrange: 'yes' })}
            >
              Arrange
            </Button>
          )}
          {(url.image === 'off' || floor.plans.get(String(focus?.id ?? EVERYTHING))?.image) && (
            <Anchor
              component="button"
              type="button"
              size="sm"
              onClick={() => setUrl({ image: url.image === 'off' ? '' : 'off' })}
            >
              {url.image === 'off' ? 'With the image' : 'Without the image'}
            </Anchor>
          )}
        </Group>
        {isShown && <FloorLegend {...{ floor, focus, noticed }} />}
      </Group>
      <PlaybackBar playing={playing} />
      <HeatBar shown={shown} />
      {playing.query.isError && (
        <FailureNotice error={playing.query.error} onRetry={() => void playing.query.refetch()} />
      )}
      {playing.isFuture ? (
        <EmptyState title="This day has not begun">Choose today or an earlier day, or “Live”.</EmptyState>
      ) : (
        !isShown && !playing.query.isError && <Waiting what="that time" />
      )}
      {isShown && (
        <div className="floor-screen">
          <FloorPlan
            {...{ floor, focus, selected, onSelect, onEnter }}
            noticed={noticed.all}
            paint={shown.paint}
          />
          <section aria-label="Selected">
            <FloorPanel {...{ floor, selected, onSelect, onEnter }} />
          </section>
        </div>
      )}
    </>
  )
}

/** A floor of the past. It has assets that are deleted by now, or are not among those that were seen last. */
function pastOf(live: Floor, places: Places, types: ReadonlyMap<number, string>): Floor {
  const assets = new Map(live.assets)
  for (const [id, type] of types)
    if (!assets.has(id)) assets.set(id, { id, name: `Asset ${id}`, external_key: '', type })
  return { ...live, places, assets, totals: undefined }
}

const NO_READERS: ReadonlyMap<number, FloorReader> = new Map()

type ArrangeProps = { floor: Floor; focus: Room | undefined; onDone: () => void }

function Arrange({ floor: { plans, building }, focus, onDone }: ArrangeProps) {
  const readers = useFloorReaders()
  const place = String(focus?.id ?? EVERYTHING)
  return (
    <>
      <Text size="sm" fw={600}>{`Arranging ${focus?.name ?? 'everything'}`}</Text>
      <Suspense fallback={<Loader />}>
        <PlanEditor
          key={place}
          plan={plans.get(place)}
          shown={roomsOf(building, focus)}
          readers={readers.data ?? NO_READERS}
          {...{ place, building, onDone }}
        />
      </Suspense>
    </>
  )
}

function selectionOf(text: string): Selection | undefined {
  const [, kind, id] = /^(room|asset)-(\d+)$/.exec(text) ?? []
  return kind === undefined ? undefined : { kind: kind as Selection['kind'], id: Number(id) }
}

type PathProps = { focus: Room | undefined; onEnter: (room: Room | undefined) => void }

function Path({ focus, onEnter }: PathProps) {
  const above = pathTo(focus?.parent)
  if (!focus) return <Text size="sm">Everything</Text>
  return (
    <Breadcrumbs separator="›">
      {[undefined, ...above].map((room) => (
        <Anchor
          component="button"
          type="button"
          size="sm"
          key={room?.id ?? 'all'}
          onClick={() => onEnter(room)}
        >
          {room?.name ?? 'Everything'}
        </Anchor>
      ))}
      <Text size="sm" fw={600}>
        {focus.name}
      </Text>
    </Breadcrumbs>
  )
}

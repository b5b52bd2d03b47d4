import { Button, Group, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { Alert } from '../../../parts/alerts/alert-text.ts'
import { combined } from '../../../parts/load/combined-query.ts'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { Card } from '../../../parts/page/card.tsx'
import { useNow } from '../../../parts/time/when.tsx'
import { api } from '../../../session/api.ts'
import { FloorPlan } from '../../floor/floor-plan.tsx'
import { fullness } from '../../floor/heat/heat.ts'
import { PlayerBar } from '../../floor/playback/player-bar.tsx'
import { Timeline } from '../../floor/playback/timeline.ts'
import { usePlayer } from '../../floor/playback/use-player.ts'
import { type Floor, useFloor } from '../../floor/use-floor.ts'
import { type Film, filmOf, filmSpan, sharedRoom } from './film.ts'

/** Where the asset of an alert was, from before it was raised until it was over, to play. */
export function AssetFilm({ alert }: { alert: Alert }) {
  const floor = useFloor()
  const film = useFilm(alert)
  return (
    <Card title="Where it was">
      <Loaded query={combined({ film, floor })} what="where it was">
        {({ film: { found, isCut, isLong }, floor: live }) =>
          found ? (
            <>
              <Playable film={found} floor={live} alert={alert} isCut={isCut} />
              {isLong && (
                <Text size="sm" c="dimmed">
                  The alert was open for longer than a week. This is its first week.
                </Text>
              )}
            </>
          ) : (
            <Text size="sm">
              There is nothing to play: nothing saw it in this time, or the history of this time has expired.
            </Text>
          )
        }
      </Loaded>
    </Card>
  )
}

/** More are cut, the earliest first. */
const MOST_MOVES = 500
const MINUTE_MS = 60_000

/** Its movements in the time. An open alert has a longer film every minute. */
function useFilm(alert: Alert) {
  const minute = Math.ceil(useNow() / MINUTE_MS) * MINUTE_MS
  const id = alert.subject.id
  return useQuery({
    queryKey: ['movements', 'film', id, alert.raised_at, alert.resolved_at ?? minute],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const span = filmSpan(alert, Date.now())
      const instant = (ms: number) => new Date(ms).toISOString()
      const query = { asset_id: [id], from: instant(span.fromMs), to: instant(span.toMs), limit: MOST_MOVES }
      const before = { to: instant(span.fromMs), limit: 1 }
      const [moves, seen] = await Promise.all([
        api.page('/api/v1/movements', { query, signal }),
        api.get('/api/v1/assets/{asset_id}/sightings', { path: { asset_id: id }, query: before, signal }),
      ])
      const found = filmOf(id, span, seen[0]?.location ?? null, moves.data)
      return { found: found ?? null, isCut: moves.has_more, isLong: span.isCut }
    },
  })
}

type Props = { film: Film; floor: Floor; alert: Alert; isCut: boolean }

const HEIGHT = 380
const PAINT = fullness(new Map())

function Playable({ film, floor: live, alert, isCut }: Props) {
  const { id, name } = alert.subject
  const timeline = useMemo(() => new Timeline(film.playback), [film])
  const player = usePlayer(timeline)
  const { places } = player
  const floor = useMemo((): Floor => {
    const asset = live.assets.get(id) ?? { id, name, external_key: '', type: 'asset' }
    return { ...live, assets: new Map([[id, asset]]), places: places ?? new Map(), totals: undefined }
  }, [live, places, id, name])
  const focus = useMemo(() => sharedRoom(live.building, film.names.keys()), [live, film])
  const place = places?.get(id)
  return (
    <>
      <PlayerBar player={player} isCut={isCut}>
        <Jump label="When it was raised" at={alert.raised_at} onJump={player.seek} />
        {alert.resolved_at !== null && (
          <Jump label="When it was over" at={alert.resolved_at} onJump={player.seek} />
        )}
      </PlayerBar>
      <Group gap="xs">
        <Text size="sm" fw={600}>
          {placeText(film, place)}
        </Text>
        {place !== undefined && !live.building.rooms.has(place) && (
          <Text size="sm" c="dimmed">
            The picture does not have this location.
          </Text>
        )}
      </Group>
      {live.building.roots.length > 0 && (
        <div style={{ height: HEIGHT }}>
          <FloorPlan
            {...{ floor, focus }}
            selected={place === undefined ? undefined : { kind: 'room', id: place }}
            onSelect={() => undefined}
            onEnter={() => undefined}
            noticed={new Set([id])}
            paint={PAINT}
          />
        </div>
      )}
    </>
  )
}

const placeText = ({ names }: Film, place: number | undefined) =>
  place === undefined ? 'Not seen yet' : `In ${names.get(place) ?? 'a deleted location'}`

type JumpProps = { label: string; at: string; onJump: (ms: number) => void }

const Jump = ({ label, at, onJump }: JumpProps) => (
  <Button size="xs" variant="default" onClick={() => onJump(Date.parse(at))}>
    {label}
  </Button>
)

import IconHomeQuestion from '@tabler/icons-react/icons/IconHomeQuestion'
import { useQuery } from '@tanstack/react-query'
import { useReloadOnMovement } from '../../../live/use-live.ts'
import { allPages } from '../../../parts/load/all-pages.ts'
import { countText } from '../../../parts/table/count-text.ts'
import { api } from '../../../session/api.ts'
import type { PlacedRoom } from '../layout.ts'
import type { Building } from '../rooms.ts'
import { RoomMarks } from './room-marks.tsx'
import { spotsOf } from './spots.ts'

/** Of more, the picture says at least so many. */
const MOST = 1_000
const REFRESH_MS = 30_000

/** What is not at its home, in one list for all places. */
const useMisplaced = () =>
  useQuery({
    queryKey: ['report', 'misplaced', 'floor'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const load = (page: object) =>
        api.page('/api/v1/reports/asset-locations', { query: { ...page, misplaced: true }, signal })
      return allPages(load, MOST)
    },
  })

type Props = { placed: readonly PlacedRoom[]; building: Building }

/** Places with assets that belong elsewhere, as links to these. */
export function MisplacedMarks({ placed, building }: Props) {
  useReloadOnMovement([['report', 'misplaced']])
  const { rows = [], total = 0 } = useMisplaced().data ?? {}
  const atLeast = rows.length < total ? 'at least ' : ''
  return (
    <RoomMarks
      label="Misplaced assets"
      icon={IconHomeQuestion}
      className="is-right"
      spots={spotsOf(rows, ({ location_id: id }) => id, placed, building, 'right')}
      markOf={({ room, things }) => ({
        said: `${atLeast}${countText(things.length, 'misplaced assets')}`,
        to: '/assets',
        search: { location: String(room.id), misplaced: 'true' },
        color: 'orange',
      })}
    />
  )
}

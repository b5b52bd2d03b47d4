import IconBell from '@tabler/icons-react/icons/IconBell'
import { useQuery } from '@tanstack/react-query'
import { OPEN, severityOf, worstOf } from '../../../parts/alerts/alert-text.ts'
import { REFRESH_MS } from '../../../parts/alerts/use-alerts.ts'
import { allPages } from '../../../parts/load/all-pages.ts'
import { countText } from '../../../parts/table/count-text.ts'
import { api } from '../../../session/api.ts'
import type { PlacedRoom } from '../layout.ts'
import type { Building } from '../rooms.ts'
import { RoomMarks } from './room-marks.tsx'
import { spotsOf } from './spots.ts'

/** Of more, the picture counts these, the newest. */
const MOST = 1_000
/** What fits into an address. */
const MOST_IDS = 100

/** All open alerts, in one list for all places. */
const useFloorAlerts = () =>
  useQuery({
    queryKey: ['alerts', 'floor'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const load = (page: object) =>
        api.page('/api/v1/alerts', { query: { ...page, state: [...OPEN] }, signal })
      return allPages(load, MOST)
    },
  })

type Props = { placed: readonly PlacedRoom[]; building: Building }

/** Places with open alerts, as links to these. */
export function AlertMarks({ placed, building }: Props) {
  const { rows = [] } = useFloorAlerts().data ?? {}
  return (
    <RoomMarks
      label="Open alerts"
      icon={IconBell}
      spots={spotsOf(rows, ({ location }) => location?.id ?? null, placed, building)}
      markOf={({ things, locations }) => {
        const [color, text] = severityOf(worstOf(things) ?? '')
        const worst = `${things.length === 1 ? '' : 'worst: '}${text}`
        return {
          said: `${countText(things.length, 'open alerts')}, ${worst}`,
          to: '/alerts',
          search: { location: locations.slice(0, MOST_IDS).join(',') },
          color,
        }
      }}
    />
  )
}

import IconBell from '@tabler/icons-react/icons/IconBell'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { CSSProperties } from 'react'
import { OPEN, severityOf } from '../../../parts/alerts/alert-text.ts'
import { REFRESH_MS } from '../../../parts/alerts/use-alerts.ts'
import { allPages } from '../../../parts/load/all-pages.ts'
import { Icon } from '../../../parts/page/icon.tsx'
import { countText } from '../../../parts/table/count-text.ts'
import { api } from '../../../session/api.ts'
import type { PlacedRoom } from '../layout.ts'
import type { Building } from '../rooms.ts'
import { alertSpots } from './alert-spots.ts'

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
  const { data } = useFloorAlerts()
  const spots = data ? alertSpots(data.rows, placed, building) : []
  if (spots.length === 0) return null
  return (
    <ul aria-label="Open alerts">
      {spots.map(({ room, count, worst, locations, at: [left, top] }) => {
        const [color, text] = severityOf(worst ?? '')
        const said = `${room.name}: ${countText(count, 'open alerts')}, ${count === 1 ? '' : 'worst: '}${text}`
        const style = { left, top, '--alert': `var(--mantine-color-${color}-filled)` } as CSSProperties
        return (
          <li key={room.id}>
            <Link
              to="/alerts"
              search={() => ({ location: locations.slice(0, MOST_IDS).join(',') }) as never}
              className="floor-alert"
              style={style}
              title={said}
              aria-label={said}
            >
              <Icon of={IconBell} size={14} />
              {count}
            </Link>
          </li>
        )
      })}
    </ul>
  )
}

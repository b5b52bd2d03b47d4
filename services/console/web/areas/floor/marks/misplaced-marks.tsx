import IconHomeQuestion from '@tabler/icons-react/icons/IconHomeQuestion'
import { countText } from '../../../parts/table/count-text.ts'
import type { PlacedRoom } from '../layout.ts'
import type { Building } from '../rooms.ts'
import { RoomMarks } from './room-marks.tsx'
import { spotsOf } from './spots.ts'
import { useAllMisplaced } from './use-misplaced.ts'

type Props = { placed: readonly PlacedRoom[]; building: Building }

/** Places with assets that belong elsewhere, as links to these. */
export function MisplacedMarks({ placed, building }: Props) {
  const { rows, total } = useAllMisplaced()
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

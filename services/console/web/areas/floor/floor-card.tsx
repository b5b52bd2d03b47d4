import { Anchor } from '@mantine/core'
import { Link, useNavigate } from '@tanstack/react-router'
import { Card } from '../../parts/page/card.tsx'
import { Loaded } from '../../parts/load/loaded.tsx'
import { FloorLegend } from './floor-legend.tsx'
import { FloorPlan } from './floor-plan.tsx'
import { useFloor, type Floor } from './use-floor.ts'
import { useFullness } from './heat/use-heat.ts'
import { useNoticed } from './use-noticed.ts'

/** In pixels. Reserved while the floor loads, so that nothing below it moves. */
const HEIGHT = 380
const LEGEND_HEIGHT = 20

/** The floor as a card of another screen, `locationId` alone or everything. A click leads to the floor. */
export function FloorCard({ locationId }: { locationId?: number }) {
  const floor = useFloor()
  const room = locationId === undefined ? '' : String(locationId)
  return (
    <Card
      title="Floor"
      actions={
        <Anchor component={Link} to="/floor" search={() => ({ room }) as never} size="sm">
          Fill the window
        </Anchor>
      }
    >
      <div style={{ minHeight: LEGEND_HEIGHT + HEIGHT }}>
        <Loaded query={floor} what="the floor">
          {(data) => <Picture floor={data} room={room} />}
        </Loaded>
      </div>
    </Card>
  )
}

function Picture({ floor, room }: { floor: Floor; room: string }) {
  const navigate = useNavigate()
  const noticed = useNoticed(floor)
  const paint = useFullness()
  const focus = floor.building.rooms.get(Number(room))
  const goTo = (search: object) => void navigate({ to: '/floor', search: { room, ...search } })
  return (
    <>
      <FloorLegend {...{ floor, focus, noticed }} />
      <div style={{ height: HEIGHT }}>
        <FloorPlan
          {...{ floor, focus }}
          selected={undefined}
          noticed={noticed.all}
          paint={paint}
          onSelect={({ kind, id }) => goTo({ selected: `${kind}-${id}` })}
          onEnter={({ id }) => goTo({ room: String(id) })}
        />
      </div>
    </>
  )
}

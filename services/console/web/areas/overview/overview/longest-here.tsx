import { Text } from '@mantine/core'
import { longestHere } from '../../floor/longest.ts'
import { useFloor } from '../../floor/use-floor.ts'
import { hasFewer } from '../../floor/use-noticed.ts'
import { Card } from '../../../parts/page/card.tsx'
import { AssetLink, LocationLink } from '../../../parts/things/links.tsx'
import { When } from '../../../parts/time/when.tsx'
import './overview.css'

/** The assets that stayed longest at their location, which the floor rings. Nothing if none stands out. */
export function LongestHere() {
  const { data: floor } = useFloor()
  const longest = floor && !hasFewer(floor) ? longestHere(floor.stays, floor.readAt) : []
  if (!floor || longest.length === 0) return null
  return (
    <Card title="Longest here">
      <ul className="facts">
        {longest.map(({ id, since }) => {
          const room = floor.building.rooms.get(floor.places.get(id) ?? 0)
          return (
            <Text component="li" size="sm" key={id}>
              <AssetLink id={id}>{floor.assets.get(id)?.name ?? `Asset ${id}`}</AssetLink>
              {room && (
                <>
                  {' at '}
                  <LocationLink id={room.id}>{room.name}</LocationLink>
                </>
              )}
              {' since '}
              <When at={since} as="day" />
            </Text>
          )
        })}
      </ul>
    </Card>
  )
}

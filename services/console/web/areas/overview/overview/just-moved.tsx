import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Card } from '../../../parts/page/card.tsx'
import { AssetLink, LocationLink } from '../../../parts/things/links.tsx'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { useArrived } from '../../../parts/load/use-arrived.ts'
import { When } from '../../../parts/time/when.tsx'
import type { Arrival } from './arrivals.ts'
import { useArrivals } from './use-arrivals.ts'
import './overview.css'

/** The last few movements, live. */
export function JustMoved() {
  const arrivals = useArrivals()
  return (
    <Card
      title="Just moved"
      actions={
        <Anchor component={Link} to="/movements" size="sm">
          All movements
        </Anchor>
      }
    >
      <Loaded query={arrivals} what="the last movements">
        {(data) =>
          data.length === 0 ? (
            <Text size="sm" c="dimmed">
              Nothing has moved yet.
            </Text>
          ) : (
            <Arrivals arrivals={data} />
          )
        }
      </Loaded>
    </Card>
  )
}

const keyOf = ({ asset, at }: Arrival) => `${asset.id} ${at}`

function Arrivals({ arrivals }: { arrivals: readonly Arrival[] }) {
  const hasArrived = useArrived(arrivals.map(keyOf))
  return (
    <ul className="facts">
      {arrivals.map((arrival) => {
        const { at, asset, location } = arrival
        const key = keyOf(arrival)
        return (
          <Text component="li" size="sm" key={key} className={hasArrived(key) ? 'arrives' : undefined}>
            <AssetLink id={asset.id}>{asset.name}</AssetLink>
            {' came to '}
            <LocationLink id={location.id}>{location.name}</LocationLink>{' '}
            <Text span size="sm" c="dimmed">
              <When at={at} />
            </Text>
          </Text>
        )
      })}
    </ul>
  )
}

import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Card } from '../../parts/card.tsx'
import { AssetLink, LocationLink } from '../../parts/links.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { When } from '../../parts/when.tsx'
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
            <ul className="facts">
              {data.map(({ at, asset, location }) => (
                <Text component="li" size="sm" key={asset.id}>
                  <AssetLink id={asset.id}>{asset.name}</AssetLink>
                  {' came to '}
                  <LocationLink id={location.id}>{location.name}</LocationLink>{' '}
                  <Text span size="sm" c="dimmed">
                    <When at={at} />
                  </Text>
                </Text>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}

import { Anchor, SimpleGrid, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { components } from '@whereabouts/client/client'
import { useFirstMisplaced } from '../../floor/marks/use-misplaced.ts'
import { Card } from '../../../parts/page/card.tsx'
import { combined } from '../../../parts/load/combined-query.ts'
import { adviceOf, isNear, labelOf } from '../../../parts/load/limits.ts'
import { AssetLink } from '../../../parts/things/links.tsx'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { useLimits } from '../../../parts/load/use-limits.ts'
import { When } from '../../../parts/time/when.tsx'
import { Exception } from './exception.tsx'
import { lastHourText } from '../../../parts/readers/last-hour.ts'
import {
  useAtHomeCount,
  useDegradedReaders,
  useFailedDeliveries,
  useNotSeen,
  useQuietReaders,
  useUnsteadyCount,
} from './use-attention.ts'

type Reader = components['schemas']['ListedReader']
type Located = components['schemas']['AssetLocation']

/** What is wrong now: how much, the first few, and the list with exactly these. */
export function Attention({ unknownTags }: { unknownTags: number }) {
  const found = combined({
    notSeen: useNotSeen(),
    misplaced: useFirstMisplaced(),
    readers: useQuietReaders(),
    degraded: useDegradedReaders(),
    failed: useFailedDeliveries(),
    unsteady: useUnsteadyCount(),
    limits: useLimits(),
  })
  return (
    <Card title="Needs attention">
      <Loaded query={found} what="what needs attention">
        {({ notSeen, misplaced, readers, degraded, failed, unsteady, limits }) => {
          const near = limits.filter(isNear)
          const counts = [notSeen, misplaced, readers, degraded].map(({ total_count: count }) => count)
          return [...counts, unknownTags, failed.count, failed.webhooks.length, unsteady, near.length].every(
            (count) => count === 0,
          ) ? (
            <Text size="sm" c="dimmed">
              Nothing. All readers send as usual, and all tags are known.
            </Text>
          ) : (
            <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="lg">
              <Exception
                count={notSeen.total_count}
                label="assets not seen for 24 h"
                one="asset not seen for 24 h"
                to="/assets"
                search={{ seen: '24h' }}
              >
                {notSeen.data.map((row) => (
                  <NotSeenAsset key={row.asset_id} row={row} />
                ))}
              </Exception>
              <Exception
                count={misplaced.total_count}
                label="misplaced assets"
                one="misplaced asset"
                to="/assets"
                search={{ misplaced: 'true' }}
              >
                {misplaced.data.map((row) => (
                  <MisplacedAsset key={row.asset_id} row={row} />
                ))}
              </Exception>
              <Exception
                count={readers.total_count}
                label="readers without messages"
                one="reader without messages"
                to="/readers"
                search={{ status: 'quiet' }}
              >
                {readers.data.map((reader) => (
                  <QuietReader key={reader.reader_key} reader={reader} />
                ))}
              </Exception>
              <Exception
                count={degraded.total_count}
                label="degraded readers"
                one="degraded reader"
                to="/readers"
                search={{ status: 'degraded' }}
              >
                {degraded.data.map((reader) => (
                  <DegradedReader key={reader.reader_key} reader={reader} />
                ))}
              </Exception>
              <Exception count={unknownTags} label="unknown tags" one="unknown tag" to="/unknown-tags">
                <li>{unknownTags === 1 ? 'Was read. Nothing has it.' : 'Were read. Nothing has them.'}</li>
              </Exception>
              <Exception
                count={failed.count}
                label="failed delivery attempts"
                one="failed delivery attempt"
                to="/webhooks"
              >
                {failed.lastAt !== null && (
                  <li>
                    Webhook: the last delivery failed <When at={failed.lastAt} />.
                  </li>
                )}
              </Exception>
              <Exception
                count={failed.webhooks.length}
                label="webhooks that fail"
                one="webhook that fails"
                to="/webhooks"
              >
                {failed.webhooks.map(({ id, url, enabled }) => (
                  <li key={id}>
                    <Anchor
                      component={Link}
                      to={`/webhooks/${id}`}
                      size="sm"
                      style={{ overflowWrap: 'anywhere' }}
                    >
                      {url}
                    </Anchor>
                    {enabled ? ': no delivery succeeds.' : ': switched off after five days of failures.'}
                  </li>
                ))}
              </Exception>
              <Exception count={unsteady} label="unsteady assets" one="unsteady asset" to="/positions">
                <li>Jump between two places, or wait at the last one.</li>
              </Exception>
              <Exception
                count={near.length}
                label="limits almost reached"
                one="limit almost reached"
                to="/limits"
              >
                {near.map((limit) => (
                  <li key={limit.name}>{`${labelOf(limit)}: ${adviceOf(limit)}`}</li>
                ))}
              </Exception>
            </SimpleGrid>
          )
        }}
      </Loaded>
      {found.data?.misplaced.total_count === 0 && <NoHomes />}
    </Card>
  )
}

const NotSeenAsset = ({
  row: { asset_id: id, asset_external_key: key, asset, location, asset_last_seen },
}: {
  row: Located
}) => (
  <li>
    <AssetLink id={id}>{asset?.name ?? key}</AssetLink>
    {location ? ` at ${location.name}, ` : ' '}
    <When at={asset_last_seen} />
  </li>
)

const MisplacedAsset = ({
  row: { asset_id: id, asset_external_key: key, asset, location, home_location: home },
}: {
  row: Located
}) => (
  <li>
    <AssetLink id={id}>{asset?.name ?? key}</AssetLink>
    {` is at ${location?.name ?? 'a deleted location'}, not at ${home?.name ?? 'its home'}`}
  </li>
)

/** Shown while no asset can be misplaced. */
const NoHomes = () =>
  useAtHomeCount() === 0 && (
    <Text size="sm" c="dimmed" mt="sm">
      No asset with a location has a home yet, so none is misplaced.{' '}
      <Anchor href="/docs/concepts#where-assets-belong" underline="always" inherit>
        Say where assets belong
      </Anchor>
    </Text>
  )

const ReaderLink = ({ reader: { id, name, reader_key } }: { reader: Reader }) => (
  <Anchor component={Link} to={id === null ? '/readers' : `/readers/${id}`} size="sm">
    {name ?? reader_key}
  </Anchor>
)

const DegradedReader = ({ reader }: { reader: Reader }) => (
  <li>
    <ReaderLink reader={reader} />
    {`: problems in ${lastHourText(reader.health)}.`}
  </li>
)

function QuietReader({ reader }: { reader: Reader }) {
  const { health } = reader
  return (
    <li>
      <ReaderLink reader={reader} />
      {health.last_seen_at === null ? (
        ' has never sent a message.'
      ) : (
        <>
          {' is silent. Its last message came '}
          <When at={health.last_seen_at} />.
        </>
      )}
    </li>
  )
}

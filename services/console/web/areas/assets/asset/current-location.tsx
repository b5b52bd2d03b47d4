import { Anchor, Breadcrumbs, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { LocationLink } from '../../../parts/things/links.tsx'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { durationText } from '../../../parts/time/times.ts'
import { When } from '../../../parts/time/when.tsx'
import type { Asset } from '../assets/asset-fields.ts'
import type { LastLocation } from '../assets/use-assets.ts'
import { useAncestors } from '../../../parts/locations/location-queries.ts'
import { locationText, dwellsOf, type Dwell, type Sighting } from './sightings.ts'
import { useReportRow, useSightings } from './use-asset.ts'
import { Home } from './home.tsx'
import { WaitingRead, Why } from './why.tsx'
import { ForMembers } from '../../../session/for-members.tsx'

/** Current location, since when, and the sighting behind it. */
export function CurrentLocationCard({ asset }: { asset: Asset }) {
  const reportRow = useReportRow(asset.id)
  const sightings = useSightings(asset.id)
  return (
    <Paper withBorder p="md" component="section" aria-labelledby="where-title">
      <Loaded query={sightings} what="the location">
        {({ pages }) => {
          const all = pages.flatMap(({ data }) => data)
          const [latest] = all
          const waiting = pages[0]?.waiting
          if (!latest) return <NeverScanned asset={asset} />
          return (
            <Stack gap="md">
              {waiting && <WaitingRead waiting={waiting} />}
              <Loaded query={reportRow} what="the location">
                {(row) => (
                  <CurrentLocation
                    reportRow={row}
                    latest={latest}
                    dwell={knownDwell(all, sightings.hasNextPage)}
                  />
                )}
              </Loaded>
            </Stack>
          )
        }}
      </Loaded>
      <Home asset={asset} isHome={reportRow.data?.is_home} />
    </Paper>
  )
}

/** The current dwell; undefined if it may have begun earlier, in sightings that are not loaded. */
function knownDwell(sightings: readonly Sighting[], hasMore: boolean): Dwell | undefined {
  const [current, earlier] = dwellsOf(sightings)
  return hasMore && earlier === undefined ? undefined : current
}

type Props = { reportRow: LastLocation | null; latest: Sighting; dwell: Dwell | undefined }

function CurrentLocation({ reportRow, latest, dwell }: Props) {
  // Two requests: the asset may have moved between them.
  const agreed = reportRow?.location_id === (latest.location?.id ?? null) ? reportRow : undefined
  const since = agreed?.dwell_started_at ?? dwell?.from
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
      <Stack gap={4}>
        <Heading />
        {latest.location?.name && <Path id={latest.location.id} />}
        <Text fz={28} fw={700} lh={1.2}>
          {latest.location?.name ? (
            <Anchor component={Link} to={`/locations/${latest.location.id}`} inherit>
              {latest.location.name}
            </Anchor>
          ) : (
            locationText(latest.location)
          )}
        </Text>
        {latest.location?.external_key && (
          <Text size="sm" c="dimmed" ff="monospace">
            {latest.location.external_key}
          </Text>
        )}
        <Group gap="lg" mt="xs">
          <Fact label="Last seen" at={agreed?.asset_last_seen ?? latest.observed_at} />
          {since !== undefined && <Fact label="Here since" at={since} />}
          {typeof agreed?.dwell_seconds === 'number' && agreed.dwell_seconds > 0 && (
            <Text size="sm">
              <Text span c="dimmed" size="xs" display="block">
                Dwell time
              </Text>
              {durationText(agreed.dwell_seconds)}
            </Text>
          )}
        </Group>
        {reportRow === null && (
          <Text size="sm" mt="xs">
            Not in reports, because the asset is not valid now.
          </Text>
        )}
      </Stack>
      <Why latest={latest} first={dwell?.first ?? latest} />
    </SimpleGrid>
  )
}

/** Where its location is: `Riverside › Yard ›`. Nothing at the top level. */
function Path({ id }: { id: number }) {
  const { data = [] } = useAncestors(id)
  if (data.length === 0) return null
  return (
    <Breadcrumbs separator="›" style={{ flexWrap: 'wrap' }}>
      {data.map((ancestor) => (
        <LocationLink key={ancestor.id} id={ancestor.id}>
          {ancestor.name}
        </LocationLink>
      ))}
      <span aria-hidden />
    </Breadcrumbs>
  )
}

const Heading = () => (
  <Title order={2} size="h5" id="where-title">
    Current location
  </Title>
)

function Fact({ label, at }: { label: string; at: string }) {
  return (
    <Text size="sm" component="div">
      <Text span c="dimmed" size="xs" display="block">
        {label}
      </Text>
      <When at={at} />
    </Text>
  )
}

function NeverScanned({ asset }: { asset: Asset }) {
  return (
    <Stack gap={4}>
      <Heading />
      <Text fw={600}>Never scanned</Text>
      <Text size="sm" c="dimmed">
        {asset.tags.length === 0
          ? 'Readers can find it once it has a tag.'
          : 'Its location appears here after the first read of its tag.'}
        <ForMembers>
          {' Or '}
          <Anchor component={Link} to="/inventory" underline="always" inherit>
            save its location
          </Anchor>
          {' by hand.'}
        </ForMembers>
      </Text>
    </Stack>
  )
}

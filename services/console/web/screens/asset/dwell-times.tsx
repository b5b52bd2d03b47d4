import { Anchor, Button, Group, Text, Timeline } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Card } from '../../parts/card.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { durationText } from '../../parts/times.ts'
import { When } from '../../parts/when.tsx'
import { locationText, secondsOf, dwellsOf, type Dwell } from './sightings.ts'
import { useSightings } from './use-asset.ts'
import { Source } from './why.tsx'

/** The dwells of the asset, newest first. */
export function DwellTimes({ id }: { id: number }) {
  const sightings = useSightings(id)
  return (
    <Card title="Dwell times">
      <Text size="sm" c="dimmed">
        How long it was at each location.
      </Text>
      <Loaded query={sightings} what="the dwell times">
        {({ pages }) => {
          const dwells = dwellsOf(pages.flatMap(({ data }) => data))
          if (dwells.length === 0) return <Text size="sm">None yet. This asset was never seen.</Text>
          return (
            <>
              <Timeline active={0} bulletSize={14} lineWidth={2}>
                {dwells.map((dwell, i) => (
                  <Timeline.Item key={dwell.lastSeen} title={<Where dwell={dwell} />}>
                    <Times dwell={dwell} isCut={sightings.hasNextPage && i === dwells.length - 1} />
                  </Timeline.Item>
                ))}
              </Timeline>
              {sightings.hasNextPage && (
                <Button
                  variant="default"
                  size="xs"
                  mt="md"
                  loading={sightings.isFetchingNextPage}
                  onClick={() => void sightings.fetchNextPage()}
                >
                  Show earlier
                </Button>
              )}
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}

function Where({ dwell: { location } }: { dwell: Dwell }) {
  if (!location?.name) return <>{locationText(location)}</>
  return (
    <Anchor component={Link} to={`/locations/${location.id}`} inherit>
      {location.name}
    </Anchor>
  )
}

/** `isCut`: the dwell may have begun earlier, in sightings that are not loaded yet. */
function Times({ dwell, isCut }: { dwell: Dwell; isCut: boolean }) {
  const seconds = secondsOf(dwell)
  return (
    <>
      <Group gap={6}>
        <Text size="sm" component="span">
          {isCut && 'before '}
          <When at={dwell.from} as="day" /> –{' '}
          {dwell.until === null ? 'now' : <When at={dwell.until} as="day" />}
        </Text>
        {seconds > 0 && (
          <Text size="sm" c="dimmed">{`${isCut ? 'more than ' : ''}${durationText(seconds)}`}</Text>
        )}
      </Group>
      <Text size="xs" c="dimmed" component="div" style={{ overflowWrap: 'anywhere' }}>
        {isCut ? 'Earliest shown: ' : 'First: '}
        <Source sighting={dwell.first} />
        {dwell.sightings > 1 && `. ${dwell.sightings} scans`}
      </Text>
    </>
  )
}

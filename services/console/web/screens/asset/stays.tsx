import { Anchor, Button, Group, Text, Timeline } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Card } from '../../parts/card.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { durationText } from '../../parts/times.ts'
import { When } from '../../parts/when.tsx'
import { locationText, secondsOf, staysOf, type Stay } from './sightings.ts'
import { useSightings } from './use-asset.ts'
import { Source } from './why.tsx'

/** Where the asset has been, stay by stay, newest first. */
export function Stays({ id }: { id: number }) {
  const sightings = useSightings(id)
  return (
    <Card title="Stays">
      <Loaded query={sightings} what="its stays">
        {({ pages }) => {
          const stays = staysOf(pages.flatMap(({ data }) => data))
          if (stays.length === 0) return <Text size="sm">None yet: it was never seen.</Text>
          return (
            <>
              <Timeline active={0} bulletSize={14} lineWidth={2}>
                {stays.map((stay, i) => (
                  <Timeline.Item key={stay.lastSeen} title={<Where stay={stay} />}>
                    <Times stay={stay} isCut={sightings.hasNextPage && i === stays.length - 1} />
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
                  Show earlier stays
                </Button>
              )}
            </>
          )
        }}
      </Loaded>
    </Card>
  )
}

function Where({ stay: { location } }: { stay: Stay }) {
  if (!location?.name) return <>{locationText(location)}</>
  return (
    <Anchor component={Link} to={`/locations/${location.id}`} inherit>
      {location.name}
    </Anchor>
  )
}

/** `isCut`: earlier sightings are not loaded yet, and may belong to this stay. */
function Times({ stay, isCut }: { stay: Stay; isCut: boolean }) {
  const seconds = secondsOf(stay)
  return (
    <>
      <Group gap={6}>
        <Text size="sm" component="span">
          {isCut && 'before '}
          <When at={stay.from} as="day" /> – {stay.until === null ? 'now' : <When at={stay.until} as="day" />}
        </Text>
        {seconds > 0 && (
          <Text size="sm" c="dimmed">{`${isCut ? 'more than ' : ''}${durationText(seconds)}`}</Text>
        )}
      </Group>
      <Text size="xs" c="dimmed">
        <Source sighting={stay.first} />
        {stay.sightings > 1 && `, seen in ${stay.sightings} minutes`}
      </Text>
    </>
  )
}

import { Button, Grid, Stack, Text, Anchor, Group } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { FloorCard } from '../../floor/floor-card.tsx'
import { Card } from '../../../parts/page/card.tsx'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { Loaded } from '../../../parts/load/loaded.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { LocationTree } from '../../../parts/locations/tree.tsx'
import { Attention } from './attention.tsx'
import { JustMoved } from './just-moved.tsx'
import { LongestHere } from './longest-here.tsx'
import { type Counts, useCounts } from './use-counts.ts'
import { MovementsByHour } from '../../../parts/time/movements-by-hour.tsx'

/** The first screen after sign-in. */
export default function Overview() {
  const counts = useCounts()
  return (
    <Screen title="Overview">
      <Loaded query={counts} what="the overview">
        {(data) => (isEmpty(data) ? <NothingTracked /> : <Dashboard counts={data} />)}
      </Loaded>
    </Screen>
  )
}

const isEmpty = ({ assets, locations, readers }: Counts) => assets + locations + readers === 0

const NothingTracked = () => (
  <EmptyState
    title="Nothing is tracked yet"
    action={
      <Button component={Link} to="/start">
        Get started
      </Button>
    }
  >
    Set up a location, an asset with a tag, and a reader to get your first scan.
  </EmptyState>
)

const Dashboard = ({ counts }: { counts: Counts }) => (
  <Stack>
    <CountLine counts={counts} />
    <Attention unknownTags={counts.unknownTags} />
    {counts.locations > 0 && <FloorCard />}
    {counts.locations > 0 && <LongestHere />}
    <MovementsByHour />
    <Grid>
      <Grid.Col span={{ base: 12, lg: 7 }}>
        <Card title="Assets by location">
          <Text size="sm" c="dimmed">
            “Here” is at the location itself. “In total” includes its sub-locations.
          </Text>
          <LocationTree
            label="Locations"
            isFirstLevelOpen
            empty={
              <Text size="sm" c="dimmed">
                No locations yet. Create one under Locations.
              </Text>
            }
          />
        </Card>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 5 }}>
        <JustMoved />
      </Grid.Col>
    </Grid>
  </Stack>
)

const LINKS = [
  { field: 'assets', label: 'Assets', to: '/assets' },
  { field: 'locations', label: 'Locations', to: '/locations' },
  { field: 'readers', label: 'Readers', to: '/readers' },
  { field: 'unknownTags', label: 'Unknown tags', to: '/unknown-tags' },
] as const

const number = new Intl.NumberFormat()

/** How much there is, in one line, because it is not news. */
const CountLine = ({ counts }: { counts: Counts }) => (
  <Group gap="lg">
    {LINKS.map(({ field, label, to }) => (
      <Text key={field} size="sm" component="div">
        <Anchor component={Link} to={to} inherit>
          {label}
        </Anchor>{' '}
        <Text span fw={600} inherit data-count={field} style={{ fontVariantNumeric: 'tabular-nums' }}>
          {number.format(counts[field])}
        </Text>
      </Text>
    ))}
  </Group>
)

import { Button, Grid, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { FloorCard } from '../../floor/floor-card.tsx'
import { Card } from '../../parts/card.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Screen } from '../../parts/screen.tsx'
import { LocationTree } from '../locations/tree.tsx'
import { Attention } from './attention.tsx'
import { CountLine } from './counts.tsx'
import { JustMoved } from './just-moved.tsx'
import { LongestHere } from './longest-here.tsx'
import { MovementsByHour } from './movements-by-hour.tsx'
import { type Counts, useCounts } from './use-counts.ts'

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

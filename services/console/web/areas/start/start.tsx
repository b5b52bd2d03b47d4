import { Stack, Text } from '@mantine/core'
import { useReloadOnMovement } from '../../live/use-live.ts'
import { combined } from '../../parts/load/combined-query.ts'
import { Loaded } from '../../parts/load/loaded.tsx'
import { Screen } from '../../parts/page/screen.tsx'
import { useSession } from '../../session/use-session.ts'
import { AddExample } from './add-example.tsx'
import { ArrivalStep } from './arrival-step.tsx'
import { AssetStep } from './asset-step.tsx'
import { LocationsStep } from './locations-step.tsx'
import { ReaderStep } from './reader-step.tsx'
import { useTaggedAsset } from '../connect/use-tagged-asset.ts'
import { Step, type StepState } from './step.tsx'
import {
  type Arrival,
  type FirstLocations,
  type PlacedReader,
  type TaggedAsset,
  useFirstLocations,
  useLastArrival,
  useNewestReader,
} from './use-progress.ts'

/** The steps from an empty organization to the first scan. Steps done on other screens count too. */
export default function Start() {
  const locations = useFirstLocations()
  const asset = useTaggedAsset()
  const arrival = useLastArrival()
  const newest = useNewestReader(arrival.data === null)
  useReloadOnMovement([['reports', 'start']])
  return (
    <Screen
      title="Getting started"
      lead="Five steps to your first scan, in about a minute. You can leave and continue at any time."
    >
      <Loaded query={combined({ locations, asset, newest, arrival })} what="your progress">
        {(progress) => <Steps {...progress} />}
      </Loaded>
    </Screen>
  )
}

type Props = {
  locations: FirstLocations
  asset: TaggedAsset | null
  newest: PlacedReader | null
  arrival: Arrival | null
}

function Steps({ locations, asset, newest, arrival }: Props) {
  const { org, isAdmin } = useSession()
  const done = [
    true,
    locations.total_count > 0,
    asset !== null,
    newest?.placed !== undefined,
    arrival !== null,
  ]
  const now = done.indexOf(false)
  const stateOf = (step: number): StepState => (done[step - 1] ? 'done' : step - 1 === now ? 'now' : 'later')
  const [newestLocation] = locations.data
  return (
    <>
      <Text size="sm" role="status">
        {doneText(done)}
      </Text>
      {isAdmin && now > 0 && now < 4 && (
        <AddExample location={newestLocation} asset={asset} newest={newest} />
      )}
      <Stack component="ol" gap="md" p={0} m={0} maw={860} style={{ listStyle: 'none' }}>
        <Step number={1} title="Organization" state="done">
          <Text size="sm">{`You are signed in to ${org.name}.`}</Text>
        </Step>
        <Step number={2} title="Locations" state={stateOf(2)}>
          <LocationsStep locations={locations.data} total={locations.total_count} />
        </Step>
        <Step number={3} title="Asset and tag" state={stateOf(3)} later="Something to track.">
          <AssetStep asset={asset} />
        </Step>
        <Step number={4} title="Reader" state={stateOf(4)} later="A device that reads tags.">
          <ReaderStep newest={newest} asset={asset} newestLocation={newestLocation} />
        </Step>
        <Step number={5} title="First scan" state={stateOf(5)} later="You send it here. No device is needed.">
          <ArrivalStep arrival={arrival} newest={newest} asset={asset} />
        </Step>
      </Stack>
    </>
  )
}

function doneText(steps: readonly boolean[]): string {
  const count = steps.filter(Boolean).length
  if (count === steps.length) return 'All five steps are done.'
  return `${count} of ${steps.length} steps ${count === 1 ? 'is' : 'are'} done.`
}

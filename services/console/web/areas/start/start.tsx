import { Stack, Text, Button, Group, Paper } from '@mantine/core'
import { useReloadOnMovement } from '../../live/use-live.ts'
import { combined } from '../../parts/load/combined-query.ts'
import { Loaded } from '../../parts/load/loaded.tsx'
import { Screen } from '../../parts/page/screen.tsx'
import { useSession } from '../../session/use-session.ts'
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
import { useQueryClient } from '@tanstack/react-query'
import { FailureNotice } from '../../parts/load/failure-notice.tsx'
import { useSend } from '../../parts/form/use-send.ts'
import { addExample } from './set-up.ts'
import { ViewersNote } from '../../session/for-members.tsx'

/** The steps from an empty organization to the first scan. Steps done on other screens count too. */
export default function StartScreen() {
  const { canWrite } = useSession()
  if (canWrite) return <Start />
  return (
    <Screen title="Getting started">
      <ViewersNote />
    </Screen>
  )
}

function Start() {
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

type Existing = Parameters<typeof addExample>[0]

/** Everything up to the first scan with one click, for people who only want to look. */
function AddExample(existing: Existing) {
  const client = useQueryClient()
  const reload = [['locations'], ['assets'], ['readers'], ['reader']]
  const send = useSend(() => addExample(existing), {
    reload,
    // What was created before the failure must be known before the next try, which would create it again.
    onFailure: () => Promise.all(reload.map((queryKey) => client.invalidateQueries({ queryKey }))),
  })
  return (
    <Paper withBorder p="md" maw={860}>
      <Group justify="space-between" gap="sm">
        <Text size="sm" style={{ flex: '1 1 18rem' }}>
          Only want to look? We add a location, an asset with a tag, and a reader. You can rename or delete
          them later.
        </Text>
        <Button variant="default" loading={send.isSending} onClick={() => send.send(undefined)}>
          Add an example for me
        </Button>
      </Group>
      {send.error !== undefined && <FailureNotice error={send.error} />}
    </Paper>
  )
}

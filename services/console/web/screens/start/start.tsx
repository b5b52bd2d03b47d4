import { Stack, Text } from '@mantine/core'
import { useReloadOnMovement } from '../../live/use-live.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { Screen } from '../../parts/screen.tsx'
import { useSession } from '../../session/use-session.ts'
import { ArrivalStep } from './arrival-step.tsx'
import { AssetStep } from './asset-step.tsx'
import { LocationsStep } from './locations-step.tsx'
import { ReaderStep } from './reader-step.tsx'
import { Step, type StepState } from './step.tsx'
import {
  type Arrival,
  type FirstLocations,
  type PlacedReader,
  type TaggedAsset,
  useFirstLocations,
  useLastArrival,
  useNewestReader,
  useTaggedAsset,
} from './use-path.ts'

/** The way from an empty organization to the first scan. What is done is seen in the data, wherever it was done. */
export default function Start() {
  const locations = useFirstLocations()
  const asset = useTaggedAsset()
  const arrival = useLastArrival()
  const reader = useNewestReader(arrival.data === null)
  useReloadOnMovement([['reports', 'start']])
  return (
    <Screen
      title="Getting started"
      lead="From an empty organization to the first scan. Leave at any time and come back: what is done is kept."
    >
      <Loaded query={locations} what="the locations">
        {(first) => (
          <Loaded query={asset} what="the assets">
            {(tagged) => (
              <Loaded query={reader} what="the readers">
                {(newest) => (
                  <Loaded query={arrival} what="the last scan">
                    {(last) => <Path locations={first} asset={tagged} newest={newest} arrival={last} />}
                  </Loaded>
                )}
              </Loaded>
            )}
          </Loaded>
        )}
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

function Path({ locations, asset, newest, arrival }: Props) {
  const { org } = useSession()
  const done = [
    true,
    locations.total_count > 0,
    asset !== null,
    newest?.placed !== undefined,
    arrival !== null,
  ]
  const now = done.indexOf(false)
  const stateOf = (step: number): StepState => (done[step - 1] ? 'done' : step - 1 === now ? 'now' : 'later')
  const reader = newest?.reader ?? null
  return (
    <>
      <Text size="sm" role="status">
        {now === -1 ? 'All five steps are done.' : `${done.filter(Boolean).length} of 5 steps are done.`}
      </Text>
      <Stack component="ol" gap="md" p={0} m={0} maw={860} style={{ listStyle: 'none' }}>
        <Step number={1} title="Organization" state="done">
          <Text size="sm">{`${org.name} is there.`}</Text>
        </Step>
        <Step number={2} title="Locations" state={stateOf(2)}>
          <LocationsStep locations={locations.data} total={locations.total_count} />
        </Step>
        <Step number={3} title="An asset and its tag" state={stateOf(3)} later="Something to track.">
          <AssetStep asset={asset} />
        </Step>
        <Step number={4} title="A reader" state={stateOf(4)} later="What reads the tags.">
          <ReaderStep
            reader={reader}
            placed={newest?.placed}
            asset={asset}
            newestLocation={locations.data[0]}
            isTried={arrival !== null}
          />
        </Step>
        <Step number={5} title="The first scan" state={stateOf(5)} later="The scan, as it arrives.">
          <ArrivalStep arrival={arrival} reader={reader} />
        </Step>
      </Stack>
    </>
  )
}

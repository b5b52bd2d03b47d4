import { Alert, Anchor, Button, Group } from '@mantine/core'
import { useNetwork } from '@mantine/hooks'
import { Link } from '@tanstack/react-router'
import { useFeedStatus } from '../../../live/use-live.ts'
import { EmptyState } from '../../../parts/load/empty-state.tsx'
import { Waiting } from '../../../parts/load/loaded.tsx'
import { SearchBox } from '../../../parts/table/search-box.tsx'
import { Screen } from '../../../parts/page/screen.tsx'
import { useUrlState } from '../../../parts/table/use-url-state.ts'
import { KEPT, matches, type MovementLog, pause, resume } from './movement-log.ts'
import { MovementTable } from './movement-table.tsx'
import { emptyText, type Rate } from './rate.ts'
import { RateLine } from './rate-line.tsx'
import { useMovementLog } from './use-movement-log.ts'
import { ForMembers } from '../../../session/for-members.tsx'

/** Movements in real time. */
export default function Live() {
  const { log, rate, change } = useMovementLog()
  const [{ q }, setUrl] = useUrlState({ q: '' })
  const status = useFeedStatus()
  const { online } = useNetwork()
  const isConnected = online && status === 'live'
  return (
    <Screen
      title="Live"
      lead={`Movements in real time, newest first. This screen keeps the last ${KEPT}.`}
      actions={<PauseButton log={log} onPause={() => change(pause)} onResume={() => change(resume)} />}
    >
      {status === 'interrupted' && (
        <Alert color="yellow" role="status" title="Reconnecting">
          Movements appear when the connection is back.
        </Alert>
      )}
      {rate && isConnected && <RateLine rate={rate} />}
      <SearchBox
        label="Filter"
        placeholder="Asset or location"
        value={q}
        onChange={(text) => setUrl({ q: text })}
        maw={360}
      />
      {rate || !isConnected ? (
        <Entries log={log} text={q} rate={isConnected ? rate : undefined} />
      ) : (
        <Waiting what="movements" />
      )}
    </Screen>
  )
}

type PauseProps = { log: MovementLog; onPause: () => void; onResume: () => void }

function PauseButton({ log: { isPaused, waitingMovements }, onPause, onResume }: PauseProps) {
  if (!isPaused)
    return (
      <Button variant="default" onClick={onPause}>
        Pause
      </Button>
    )
  const count = new Intl.NumberFormat().format(waitingMovements)
  return <Button onClick={onResume}>{waitingMovements === 0 ? 'Resume' : `Resume, ${count} new`}</Button>
}

function Entries({ log, text, rate }: { log: MovementLog; text: string; rate: Rate | undefined }) {
  const entries = log.shown.filter((entry) => matches(entry, text))
  if (entries.length > 0) return <MovementTable entries={entries} />
  if (log.shown.length > 0)
    return (
      <EmptyState title="No matching movements">
        None of the last {log.shown.length} movements has “{text}” in the name or key of its asset or
        location.
      </EmptyState>
    )
  return (
    <EmptyState
      title={rate ? emptyText(rate) : 'No movements to show'}
      action={
        <Group>
          <Anchor component={Link} to="/readers" size="sm">
            Go to readers
          </Anchor>
          <ForMembers>
            <Anchor component={Link} to="/inventory" size="sm">
              Save inventory
            </Anchor>
          </ForMembers>
        </Group>
      }
    >
      When a reader sees an asset at a new location, the movement appears here within a second.
    </EmptyState>
  )
}

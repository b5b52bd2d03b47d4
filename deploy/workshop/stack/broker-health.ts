import { setTimeout as delay } from 'node:timers/promises'
import { errorText } from '../../error-text.ts'
import { FULL_BELOW_BYTES, freeBytes, storageProblem } from '../servers/broker-storage.ts'
import type { BrokerServer } from './stack-servers.ts'

type Options = {
  broker: Pick<BrokerServer, 'pid' | 'monitorUrl'>
  /** On the broker's disk. */
  folder: string
  /** Ends the broker, and starts it again if nothing else does. */
  restart: () => Promise<void>
  say: (line: string) => void
  /** Default: 20 s. */
  everyMs?: number
  /** Default: that of the disk of `folder`. */
  free?: () => number
}

/** Failures in a row before a restart: at 20 s each, a minute. */
const FAILURES = 3
/** Doubled up to here while restarts do not help, about ten minutes. */
const MAX_FAILURES = 30

/**
 * Restarts a single broker that stores nothing although its disk has room, because it does not recover by itself
 * (`storageProblem`). While the disk is full a restart does not help and disconnects everybody, so it waits for room.
 */
export function watchBrokerStorage(options: Options): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const state = {
    pid: undefined as number | undefined,
    failures: 0,
    healthy: 0,
    patience: FAILURES,
    isFull: false,
  }
  const { everyMs = 20_000, say } = options
  const watching = (async () => {
    while (await delay(everyMs, true, { signal: stopping.signal }).catch(() => false))
      await turn(options, state).catch((error: unknown) => say(`nats is not watched: ${errorText(error)}`))
  })()
  return {
    stop() {
      stopping.abort()
      return watching
    },
  }
}

type State = { pid: number | undefined; failures: number; healthy: number; patience: number; isFull: boolean }

async function turn({ broker, folder, restart, say, free }: Options, state: State): Promise<void> {
  const { monitorUrl, pid } = broker
  if (monitorUrl === undefined) return // a given broker is not ours
  if (pid !== state.pid) Object.assign(state, { pid, failures: 0, healthy: 0 })
  const problem = await storageProblem(monitorUrl)
  if (problem === undefined) {
    state.healthy += 1
    Object.assign(state, { failures: 0, isFull: false })
    if (state.healthy >= state.patience) state.patience = FAILURES
    return
  }
  state.healthy = 0
  state.failures += 1
  if (state.failures < state.patience) return
  const left = (free ?? (() => freeBytes(folder)))()
  if (left < FULL_BELOW_BYTES) {
    if (!state.isFull)
      say(
        `The disk of the broker is full: ${Math.floor(left / 1024)} KiB are free in ${folder}, and no reads are stored (${problem}). Free space there. Then nats starts again by itself.`,
      )
    state.isFull = true
    return
  }
  say(`nats stores nothing: ${problem}. It is restarted.`)
  state.failures = 0
  state.patience = Math.min(2 * state.patience, MAX_FAILURES)
  await restart()
}

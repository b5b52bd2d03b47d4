import type { LiveMovement, RecentMovements } from '@whereabouts/contracts/resources/tracking/live'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { readSince, type DatedMessage } from '@whereabouts/messaging/state/replay'
import type { FairGate } from '@whereabouts/service-kit/limits/fair-gate'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { createdMs, idOf, movementOf, type Cursor } from './event-text.ts'

const STEP_MS = 10_000
/** In steps, the current one included. If the longest has too many movements, a shorter one is read. */
const WINDOWS = [30, 6, 1]
const MAX_READ = 2_000
/** As many as the console shows. */
const MAX_LISTED = 200

type Deps = { broker: Broker; log: Logger; reads: FairGate<number> }

/** Reads what moved in the last minutes from the stream. `now` is a place that the stream has reached already. */
export async function recentMovements(
  { broker, log, reads }: Deps,
  orgId: number,
  now: Cursor,
  nowMs: number,
): Promise<RecentMovements> {
  const step = Math.floor(nowMs / STEP_MS)
  const subject = `events.asset-moved.${orgId}`
  let [fromMs, messages]: [number, DatedMessage[]] = [nowMs, []]
  for (const steps of WINDOWS) {
    const since = new Date((step - steps + 1) * STEP_MS)
    const ask = { stream: 'EVENTS' as const, subject, since, limit: MAX_READ }
    const found = await reads.run(orgId, () => readSince(broker, ask))
    if (found === undefined) continue
    // A stream that was re-created has nothing from before.
    ;[fromMs, messages] = [Math.max(since.getTime(), createdMs(now)), found]
    break
  }
  return {
    from: new Date(fromMs).toISOString(),
    to: new Date(nowMs).toISOString(),
    last_event_id: idOf({ ...now, seq: Math.max(now.seq, messages.at(-1)?.seq ?? 0) }),
    steps: countPerStep(messages),
    movements: newest(messages, orgId, log),
  }
}

function countPerStep(messages: readonly DatedMessage[]): RecentMovements['steps'] {
  const counts = new Map<number, number>()
  for (const { storedAtMs } of messages) {
    const at = Math.floor(storedAtMs / STEP_MS) * STEP_MS
    counts.set(at, (counts.get(at) ?? 0) + 1)
  }
  return Array.from(counts, ([at, moves]) => ({ at: new Date(at).toISOString(), moves }))
}

function newest(messages: readonly DatedMessage[], orgId: number, log: Logger): LiveMovement[] {
  return messages
    .slice(-MAX_LISTED)
    .toReversed()
    .flatMap(({ seq, payload }) => {
      try {
        return [movementOf(orgId, payload)]
      } catch (error) {
        log.error({ err: error, stream_seq: seq }, 'movement could not be listed')
        return []
      }
    })
}

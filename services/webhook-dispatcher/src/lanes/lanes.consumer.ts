import { AssetMoved, assetMoved } from '@whereabouts/contracts/messages/asset-moved'
import type { MessageConsumer } from '@whereabouts/messaging/consumer'
import { decodeWith } from '@whereabouts/messaging/decode'
import type { IncomingMessage } from '@whereabouts/messaging/delivery'
import { PoisonError } from '@whereabouts/messaging/settle'
import { durables } from '@whereabouts/messaging/topology'
import { toAppError } from '@whereabouts/service-kit/error-handler'
import { currentTrace, withTrace } from '@whereabouts/service-kit/trace'
import { assetMovedPayload } from '../attempts/asset-moved-body.ts'
import { deliver, drop, type AttemptDeps, type Job } from '../attempts/attempts.ts'
import { HandedBack } from './handed-back.ts'
import { Heart } from './heart.ts'
import { Lanes, type LaneLimits } from './lanes.ts'

const DURABLE = 'webhook-dispatcher-lanes'

/**
 * About 17 000 and 34 000 deliveries of ordinary size: more than the largest save makes (10 000 assets) fits into one
 * lane. Two replicas full to the brim hold less than the durable's `maxAckPending`.
 */
export const LANE_LIMITS: LaneLimits = { laneBytes: 128 * 1024 * 1024, totalBytes: 256 * 1024 * 1024 }

/** What a waiting delivery takes besides its bytes, most of it the promises of its handler: measured, see ADR 22. */
const ENTRY_BYTES = 7 * 1024

/** Above what can wait and run: full lanes drop their oldest, they never stop the intake. */
const HANDLED_AT_ONCE = 100_000

/** Three signs of life before the broker would give a message to somebody else. */
const HEARTBEAT_MS = durables[DURABLE].ackWaitMs / 3

/** EVENTS → lanes → attempts. A message is acknowledged when its delivery is over, however it ended. */
export function lanesConsumer(
  deps: AttemptDeps,
  lanes: Lanes,
  stopping: AbortSignal,
  heartbeatMs = HEARTBEAT_MS,
): MessageConsumer<Job> {
  const heart = new Heart(heartbeatMs)
  return {
    durable: DURABLE,
    concurrency: HANDLED_AT_ONCE,
    decode: decodeJob,
    isOutage: (error) => error instanceof HandedBack || toAppError(error).type === 'service_unavailable',
    async handle(job, context) {
      const end = heart.beatFor(context.working)
      const signals = { stopping, abort: context.signal }
      try {
        const trace = currentTrace()
        const outcome = await lanes.run(job.orgId, bytesOf(job), (progress) =>
          // A lane goes on from where the delivery before ended, in the trace of that one.
          trace?.sampled
            ? withTrace(trace, () => deliver(deps, job, progress, signals))
            : deliver(deps, job, progress, signals),
        )
        if (outcome === 'dropped') drop(deps, job, 'lane_full')
      } finally {
        end()
      }
    },
  }
}

/** What a delivery takes while it waits: the message, the body made of it, and what keeps them. */
export const bytesOf = ({ payload }: Job) => ENTRY_BYTES + 2 * payload.body.length

const decodeEvent = decodeWith('an asset.moved event', (payload) => AssetMoved.parse(payload))

/** Throws PoisonError unless the message is an `asset.moved` of the organization in its subject. */
export function decodeJob(message: IncomingMessage): Job {
  const event = decodeEvent(message)
  const { subject, receivedAt, deliveryCount } = message
  if (subject !== assetMoved.subject(event)) throw new PoisonError('subject and organization differ')
  const payload = assetMovedPayload(event)
  if (!payload) throw new PoisonError('occurred_at is not a timestamp')
  return { orgId: event.org_id, payload, receivedAt, deliveryCount, attempts: 0, heldMs: 0 }
}

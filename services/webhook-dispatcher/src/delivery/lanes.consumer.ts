import { AssetMoved, assetMoved } from '@whereabouts/contracts/messages/asset-moved'
import type { MessageConsumer } from '@whereabouts/messaging/consumer'
import type { IncomingMessage } from '@whereabouts/messaging/delivery'
import { PoisonError } from '@whereabouts/messaging/settle'
import { durables } from '@whereabouts/messaging/topology'
import { toAppError } from '@whereabouts/service-kit/error-handler'
import { currentTrace, withTrace } from '@whereabouts/service-kit/trace'
import { assetMovedPayload } from '../attempts/asset-moved-body.ts'
import { deliver, drop, type AttemptDeps, type Job } from '../attempts/attempts.ts'
import { Requeued } from '../lanes/requeued.ts'
import { HeartbeatTimer } from './heartbeat-timer.ts'
import { Lanes, type LaneLimits } from '../lanes/lanes.ts'

const DURABLE = 'webhook-dispatcher-lanes'

/**
 * About 17 000 and 34 000 deliveries of ordinary size: more than the largest save makes (10 000 assets) fits into one
 * lane. Two replicas full to the brim hold less than the durable's `maxAckPending`.
 */
export const LANE_LIMITS: LaneLimits = { laneBytes: 128 * 1024 * 1024, totalBytes: 256 * 1024 * 1024 }

/** Memory of a waiting delivery besides its bytes, mostly promises (measured, ADR 22). */
const ENTRY_BYTES = 7 * 1024

/** More than can wait and run, because full lanes drop their oldest and never stop the intake. */
const HANDLED_AT_ONCE = 100_000

/** Three heartbeats before the broker would redeliver a message. */
const HEARTBEAT_MS = durables[DURABLE].ackWaitMs / 3

/** EVENTS → lanes → attempts. A message is acknowledged when its delivery has ended, delivered or dropped. */
export function lanesConsumer(
  deps: AttemptDeps,
  lanes: Lanes,
  stopping: AbortSignal,
  heartbeatMs = HEARTBEAT_MS,
): MessageConsumer<Job> {
  const heartbeats = new HeartbeatTimer(heartbeatMs)
  return {
    durable: DURABLE,
    concurrency: HANDLED_AT_ONCE,
    retryDelaysMs: [1_000, 5_000, 30_000],
    decode: decodeJob,
    isOutage: (error) => error instanceof Requeued || toAppError(error).type === 'service_unavailable',
    async handle(job, context) {
      const end = heartbeats.every(context.working)
      const signals = { stopping, abort: context.signal }
      try {
        const trace = currentTrace()
        const outcome = await lanes.run(job.orgId, bytesOf(job), (progress) =>
          // A lane runs the next delivery in the async context, and so the trace, of the previous one.
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

/** Throws PoisonError unless it is an `asset.moved` of the organization in its subject. */
export function decodeJob({ subject, data, receivedAt, deliveryCount }: IncomingMessage): Job {
  const parsed = AssetMoved.safeParse(parseJson(data))
  if (!parsed.success) throw new PoisonError('not an asset.moved event')
  if (subject !== assetMoved.subject(parsed.data)) throw new PoisonError('subject and organization differ')
  const payload = assetMovedPayload(parsed.data)
  if (!payload) throw new PoisonError('occurred_at is no timestamp')
  return { orgId: parsed.data.org_id, payload, receivedAt, deliveryCount, attempts: 0, heldMs: 0 }
}

function parseJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(data).toString('utf8'))
  } catch (error) {
    throw new PoisonError('not JSON', { cause: error })
  }
}

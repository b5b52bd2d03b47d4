import type { MessageConsumer } from '@whereabouts/messaging/consume/consumer'
import type { IncomingMessage } from '@whereabouts/messaging/messages/delivery'
import { PoisonError } from '@whereabouts/messaging/consume/settle'
import { durables } from '@whereabouts/messaging/connect/topology'
import { toAppError } from '@whereabouts/service-kit/http/error-handler'
import { currentTrace, withTrace } from '@whereabouts/service-kit/observe/trace'
import { decodeEvent } from '../../events/decode-event.ts'
import { payloadOf } from '../../receivers/payload.ts'
import { deliver, drop } from '../attempts/attempts.ts'
import type { AttemptDeps, Job } from '../attempts/job.ts'
import { Requeued } from '../lanes/requeued.ts'
import { HeartbeatTimer } from './heartbeat-timer.ts'
import type { Lanes } from '../lanes/lanes.ts'

const DURABLE = 'webhook-dispatcher-lanes'

/** Memory of a waiting delivery in addition to its body, mostly promises (measured, ADR 22). */
const ENTRY_BYTES = 7 * 1024

/** More deliveries than the lanes hold, because full lanes drop deliveries and never stop the intake. */
const HANDLED_AT_ONCE = 100_000

/** Three heartbeats in the time after which the broker redelivers a message. */
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

/** Memory of a waiting delivery: the message, the body made from it, and the overhead. */
export const bytesOf = ({ payload }: Job) => ENTRY_BYTES + 2 * payload.body.length

/** Throws like `decodeEvent`. */
export function decodeJob(message: IncomingMessage): Job {
  const { receivedAt, deliveryCount } = message
  const { type, event } = decodeEvent(message)
  const payload = payloadOf(type, event)
  if (!payload) throw new PoisonError('occurred_at is not a timestamp')
  return { orgId: event.org_id, payload, receivedAt, deliveryCount, attempts: 0, heldMs: 0 }
}

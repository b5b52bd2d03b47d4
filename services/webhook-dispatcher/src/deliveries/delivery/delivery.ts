import { consume } from '@whereabouts/messaging/consume/consume'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import type { ConsumerMetrics, Consumption } from '@whereabouts/messaging/consume/consumer'
import type { StateMetrics } from '@whereabouts/messaging/state/unreadable-states'
import type { AttemptDeps } from '../attempts/job.ts'
import type { Lanes } from '../lanes/lanes.ts'
import { lanesConsumer } from './lanes.consumer.ts'

export type DeliveryOptions = {
  lanes: Lanes
  consumerMetrics?: ConsumerMetrics
  stateMetrics?: StateMetrics
  /** How long running attempts may take to end after `stop`. */
  graceMs: number
  heartbeatMs?: number
}

export type Delivery = {
  /** Whether the subscriptions are known. Before that, EVENTS is not read. */
  hasCaughtUp(): boolean
  /** Lets running attempts end and requeues all other deliveries. */
  stop(): Promise<void>
}

/** Follows the organizations on KEYS. Once their subscriptions are known, it delivers the events of EVENTS. */
export function startDelivery(broker: Broker, deps: AttemptDeps, options: DeliveryOptions): Delivery {
  const { log, subscriptions } = deps
  const stopping = new AbortController()
  let consumption: Consumption | undefined
  const follower = subscriptions.follow(broker, log, options.stateMetrics)
  const begin = () => {
    if (stopping.signal.aborted) return
    const consumer = lanesConsumer(deps, options.lanes, stopping.signal, options.heartbeatMs)
    const { graceMs, consumerMetrics: metrics } = options
    consumption = consume(broker, consumer, { logger: log, graceMs, ...(metrics && { metrics }) })
  }
  void follower.caughtUp.then(begin)
  return {
    hasCaughtUp: () => follower.hasCaughtUp(),
    async stop() {
      // The consumer stops first, so that it returns to the stream what the lanes requeue, instead of retrying it.
      const stopped = consumption?.stop()
      stopping.abort()
      options.lanes.stop()
      await Promise.all([stopped, follower.stop()])
    },
  }
}

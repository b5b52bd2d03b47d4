import type { Broker } from '@whereabouts/messaging/connect/connection'
import type { Logger } from '@whereabouts/messaging/connect/logger'
import type { StateMetrics } from '@whereabouts/messaging/state/unreadable-states'
import type { Subscriptions } from '../subscriptions/subscriptions.ts'
import type { Deliveries } from './deliveries.ts'

type Options = {
  subscriptions: Subscriptions
  log: Logger
  stateMetrics?: StateMetrics
  /** How long requests under way may take to end after `stop`. */
  graceMs: number
}

export type Delivering = {
  /** Whether the subscriptions are known. Before that, nothing is delivered. */
  hasCaughtUp(): boolean
  /** Lets requests under way end and leaves everything else to other replicas. */
  stop(): Promise<void>
}

/** Follows the organizations on KEYS. Once their subscriptions are known, deliveries begin. */
export function startDelivering(broker: Broker, deliveries: Deliveries, options: Options): Delivering {
  const { subscriptions, log, stateMetrics, graceMs } = options
  const follower = subscriptions.follow(broker, log, stateMetrics)
  let isStopping = false
  const begin = async () => {
    await follower.caughtUp
    if (!isStopping) deliveries.start()
  }
  void begin()
  return {
    hasCaughtUp: () => follower.hasCaughtUp(),
    async stop() {
      isStopping = true
      await deliveries.stop(graceMs)
      await follower.stop()
    },
  }
}

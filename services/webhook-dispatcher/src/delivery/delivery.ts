import { republishKeysState } from '@whereabouts/contracts/messages/republish-state'
import { consume } from '@whereabouts/messaging/consume'
import type { Broker } from '@whereabouts/messaging/connection'
import type { ConsumerMetrics, Consumption } from '@whereabouts/messaging/consumer'
import { followStream } from '@whereabouts/messaging/follow'
import type { StateMetrics } from '@whereabouts/messaging/unreadable-states'
import type { AttemptDeps } from '../attempts/attempts.ts'
import type { Lanes } from '../lanes/lanes.ts'
import { lanesConsumer } from './lanes.consumer.ts'

const ORG = 'keys.org.'

export type DeliveryOptions = {
  lanes: Lanes
  consumerMetrics?: ConsumerMetrics
  stateMetrics?: StateMetrics
  /** What attempts in flight are given to end when we stop. */
  graceMs: number
  heartbeatMs?: number
}

export type Delivery = {
  /** The subscriptions are known; before that nothing is taken from EVENTS. */
  isCaughtUp(): boolean
  /** Attempts in flight end, everything else goes back to the stream. */
  stop(): Promise<void>
}

/** Follows the organizations on KEYS and, once their subscriptions are known, delivers what EVENTS brings. */
export function startDelivery(broker: Broker, deps: AttemptDeps, options: DeliveryOptions): Delivery {
  const { log, subscriptions } = deps
  const stopping = new AbortController()
  let consumption: Consumption | undefined
  const follower = followStream(broker, {
    stream: 'KEYS',
    filter: `${ORG}*`,
    onState: (_subject, payload) => subscriptions.apply(payload),
    onReset: () => subscriptions.clear(),
    onUnreadable: (subject) => subscriptions.doubt(Number(subject.slice(ORG.length))),
    owner: republishKeysState.subject,
    ...(options.stateMetrics && { stateMetrics: options.stateMetrics }),
    logger: log,
  })
  const begin = () => {
    if (stopping.signal.aborted) return
    const consumer = lanesConsumer(deps, options.lanes, stopping.signal, options.heartbeatMs)
    const { graceMs, consumerMetrics: metrics } = options
    consumption = consume(broker, consumer, { logger: log, graceMs, ...(metrics && { metrics }) })
  }
  void follower.caughtUp.then(begin)
  return {
    isCaughtUp: () => follower.isCaughtUp(),
    async stop() {
      // The consumer first: what the lanes then hand back, it returns to the stream instead of trying it again.
      const stopped = consumption?.stop()
      stopping.abort()
      options.lanes.stop()
      await Promise.all([stopped, follower.stop()])
    },
  }
}

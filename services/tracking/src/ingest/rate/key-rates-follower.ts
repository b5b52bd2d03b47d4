import { republishKeysState } from '@whereabouts/contracts/messages/republish-state'
import type { Broker } from '@whereabouts/messaging/connection'
import { followStream, type Follower } from '@whereabouts/messaging/follow'
import type { StateMetrics } from '@whereabouts/messaging/unreadable-states'
import type { Logger } from '@whereabouts/service-kit/logging'
import type { KeyRates } from './key-rates.ts'

/**
 * Keeps the rates up to date from the KEYS stream. Ingest waits until it has caught up. Keys is asked to publish an
 * unreadable state again.
 */
export function followKeyRates(
  broker: Broker,
  rates: KeyRates,
  log: Logger,
  stateMetrics?: StateMetrics,
): Follower {
  return followStream(broker, {
    stream: 'KEYS',
    filter: 'keys.key.*',
    logger: log,
    owner: republishKeysState.subject,
    ...(stateMetrics && { stateMetrics }),
    onReset: () => rates.clear(),
    onUnreadable: (subject) => rates.markUnreadable(subject),
    onState: (subject, payload) => rates.apply(subject, payload),
  })
}

import type { Broker } from '@whereabouts/messaging/connection'
import { followStream, type Follower } from '@whereabouts/messaging/follow'
import type { Logger } from '@whereabouts/service-kit/logging'
import type { KeyRates } from './key-rates.ts'

/** Keeps the rates up to date from the KEYS stream. Ingest waits until it has caught up. */
export function followKeyRates(broker: Broker, rates: KeyRates, log: Logger): Follower {
  return followStream(broker, {
    stream: 'KEYS',
    filter: 'keys.key.*',
    logger: log,
    onReset: () => rates.clear(),
    onState: (subject, payload) => rates.apply(subject, payload),
  })
}

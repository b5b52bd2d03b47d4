import { natsOf, type Broker } from '../connect/connection.ts'
import type { IncomingMessage } from './delivery.ts'
import { fromNatsHeaders } from './headers.ts'
import { withoutNumber } from '../connect/numbers.ts'

/** A message that was heard, which no stream keeps for the listener. */
export type HeardMessage = Pick<IncomingMessage, 'subject' | 'data' | 'receivedAt' | 'headers'>

/**
 * Hears what is published to a subject from now on, without a consumer: a message that comes while the connection is
 * lost is missed. `onMessage` must be cheap and must not throw. Call the returned function to stop.
 */
export function listenTo(
  broker: Broker,
  subject: string,
  onMessage: (message: HeardMessage) => void,
): () => void {
  const nc = natsOf(broker)
  const subscription = nc.subscribe(subject, {
    callback: (error, { subject: from, data, headers }) => {
      if (!error)
        onMessage({
          subject: withoutNumber(from),
          data,
          receivedAt: Date.now(),
          headers: fromNatsHeaders(headers),
        })
    },
  })
  return () => {
    if (!nc.isClosed()) subscription.unsubscribe()
  }
}

import type { IncomingMessage } from '../messages/delivery.ts'
import { PoisonError } from './settle.ts'

/** Parses the payload of a message as JSON. Throws PoisonError if it is not JSON. */
export function decodeJson({ data }: Pick<IncomingMessage, 'data'>): unknown {
  try {
    return JSON.parse(Buffer.from(data).toString())
  } catch (error) {
    throw new PoisonError('not JSON', { cause: error })
  }
}

/**
 * Makes `decode` of a consumer from `parse`. If `parse` throws, the message becomes a dead letter: `not <expected>`.
 */
export const decodeWith =
  <T>(expected: string, parse: (payload: unknown, subject: string) => T) =>
  (message: Pick<IncomingMessage, 'data' | 'subject'>): T => {
    try {
      return parse(decodeJson(message), message.subject)
    } catch (error) {
      if (error instanceof PoisonError) throw error
      throw new PoisonError(`not ${expected}`, { cause: error })
    }
  }

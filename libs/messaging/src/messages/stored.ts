import { NatsError, type StoredMsg } from 'nats'

/** For the other files of this lib only: resolves with undefined if the stream no longer has the message. */
export async function unlessGone(message: Promise<StoredMsg>): Promise<StoredMsg | undefined> {
  try {
    return await message
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404 && !isStreamMissing(error))
      return undefined
    throw error
  }
}

/**
 * The stream itself is missing: the topology was never applied, or this is another account. Its messages were not
 * removed.
 */
const STREAM_NOT_FOUND = 10_059
const isStreamMissing = (error: NatsError) => error.api_error?.err_code === STREAM_NOT_FOUND

import { NatsError, type StoredMsg } from 'nats'

/** For the other files of this lib only: a message asked for by its place, undefined when it is not there any more. */
export async function unlessGone(message: Promise<StoredMsg>): Promise<StoredMsg | undefined> {
  try {
    return await message
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404 && !isStreamMissing(error))
      return undefined
    throw error
  }
}

/** Without its stream a message was not removed: the topology was never applied, or this is another account. */
const STREAM_NOT_FOUND = 10_059
const isStreamMissing = (error: NatsError) => error.api_error?.err_code === STREAM_NOT_FOUND

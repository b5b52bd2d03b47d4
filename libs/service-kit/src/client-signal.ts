import type { ServerResponse } from 'node:http'
import { serviceUnavailable } from './errors.ts'

/**
 * Returns a function for the signal that aborts when the client leaves before it has the whole response. It is made at
 * the first call, because most requests need none. Not `request.signal` of Fastify: that also aborts when a body was read.
 */
export function clientSignalOf(response: ServerResponse): () => AbortSignal {
  let signal: AbortSignal | undefined
  return () => (signal ??= watch(response))
}

function watch(response: ServerResponse): AbortSignal {
  const left = new AbortController()
  // Nobody reads this error, and it is no failure of ours.
  const abort = () => {
    if (!response.writableFinished) left.abort(serviceUnavailable(undefined, true))
  }
  if (response.closed) abort()
  else response.once('close', abort)
  return left.signal
}

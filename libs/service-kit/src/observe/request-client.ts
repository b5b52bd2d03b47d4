import type { ServerResponse } from 'node:http'
import { serviceUnavailable } from '../errors/errors.ts'

/** Nobody reads this error, and nothing of ours has failed. */
export const clientLeft = () => serviceUnavailable(undefined, true)

/**
 * The client of one request. Not an AbortSignal, and not `request.signal` of Fastify, which also aborts when a body was read:
 * nearly every request is answered, and then this costs one listener.
 */
export class RequestClient {
  readonly #response: Pick<ServerResponse, 'closed' | 'writableFinished' | 'once'>
  readonly #listeners = new Set<() => void>()
  #isWatched = false
  #signal: AbortSignal | undefined

  constructor(response: Pick<ServerResponse, 'closed' | 'writableFinished' | 'once'>) {
    this.#response = response
  }

  /** Whether it left before it had the whole response. */
  get hasLeft(): boolean {
    return this.#response.closed && !this.#response.writableFinished
  }

  /** Calls `listener` when the client leaves, unless the returned function was called before. */
  onLeave(listener: () => void): () => void {
    this.#listeners.add(listener)
    if (this.hasLeft) this.#tell()
    else if (!this.#isWatched) {
      this.#isWatched = true
      this.#response.once('close', () => {
        if (this.hasLeft) this.#tell()
      })
    }
    return () => void this.#listeners.delete(listener)
  }

  /** Aborts when the client leaves. Made at the first use: most requests need none. */
  get signal(): AbortSignal {
    if (this.#signal) return this.#signal
    const left = new AbortController()
    this.#signal = left.signal
    this.onLeave(() => left.abort(clientLeft()))
    return this.#signal
  }

  #tell(): void {
    for (const listener of this.#listeners) {
      this.#listeners.delete(listener)
      listener()
    }
  }
}

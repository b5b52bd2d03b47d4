import type { Dispatcher } from 'undici'
import { onAbort } from '@whereabouts/service-kit/limits/on-abort'

/** How much of a response body is read, so that the connection can be reused. A longer body ends the connection. */
const MAX_RESPONSE_BYTES = 64 * 1024

/** No complete response came in time. */
export class ResponseTimeout extends Error {
  override readonly name = 'ResponseTimeout'
}
/** Ends a connection whose response nobody waits for. */
class ExchangeAborted extends Error {
  override readonly name = 'ExchangeAborted'
}

export type ExchangeOptions = {
  headers: Record<string, string>
  body: Uint8Array
  /** For everything: lookup, connection, request, response and its body. */
  timeoutMs: number
  signal: AbortSignal
}

/** Sends one POST. Resolves with the status once the response is complete or too long. */
export const exchange = (agent: Dispatcher, url: URL, options: ExchangeOptions): Promise<number> =>
  new Promise((resolve, reject) => {
    const { headers, body } = options
    const handler = new Exchange(options, resolve, reject)
    try {
      agent.dispatch(
        { origin: url.origin, path: url.pathname + url.search, method: 'POST', headers, body },
        handler,
      )
    } catch (error) {
      handler.abort(error)
    }
  })

/** A handler for undici's `dispatch`, because the body is only counted and needs no stream. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (status: number) => void
  readonly #reject: (error: unknown) => void
  readonly #timer: NodeJS.Timeout
  readonly #removeListener: () => void
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false
  #status = 0
  #bytes = 0

  constructor(
    { timeoutMs, signal }: ExchangeOptions,
    resolve: (status: number) => void,
    reject: (error: unknown) => void,
  ) {
    this.#resolve = resolve
    this.#reject = reject
    this.#timer = setTimeout(() => this.abort(new ResponseTimeout()), timeoutMs)
    this.#removeListener = onAbort(signal, () => this.abort(new ExchangeAborted()))
    if (signal.aborted) this.abort(new ExchangeAborted())
  }

  abort(error: unknown): void {
    if (this.#end()) this.#reject(error)
    this.#controller?.abort(new ExchangeAborted())
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(new ExchangeAborted()) // aborted while it waited for its connection
  }

  /** Also called for interim responses. The last response counts. */
  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes <= MAX_RESPONSE_BYTES) return
    if (this.#end()) this.#resolve(this.#status)
    controller.abort(new ExchangeAborted())
  }

  onResponseEnd(): void {
    if (this.#end()) this.#resolve(this.#status)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#end()) this.#reject(error)
  }

  /** True the first time. */
  #end(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#removeListener()
    return true
  }
}

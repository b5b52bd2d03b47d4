import type { Dispatcher } from 'undici'
import { onAbort } from '../on-abort.ts'

/** How much of a response body is read, so that the connection can be reused. A longer one is cut off. */
const MAX_ANSWER_BYTES = 64 * 1024

/** No complete response came in time. */
export class TooLate extends Error {
  override readonly name = 'TooLate'
}
/** The caller does not wait any more; ends the connection. */
class GivenUp extends Error {
  override readonly name = 'GivenUp'
}

export type ExchangeOptions = {
  headers: Record<string, string>
  body: Uint8Array
  /** For all of it: lookup, connection, sending, answer and its body. */
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
      handler.giveUp(error)
    }
  })

/** A handler for undici's `dispatch`, because a response is counted and dropped, and needs no stream. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (status: number) => void
  readonly #reject: (error: unknown) => void
  readonly #timer: NodeJS.Timeout
  readonly #takeBack: () => void
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
    this.#timer = setTimeout(() => this.giveUp(new TooLate()), timeoutMs)
    this.#takeBack = onAbort(signal, () => this.giveUp(new GivenUp()))
    if (signal.aborted) this.giveUp(new GivenUp())
  }

  giveUp(error: unknown): void {
    if (this.#end()) this.#reject(error)
    this.#controller?.abort(new GivenUp())
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(new GivenUp()) // given up while it waited for its connection
  }

  /** Also called for interim answers, which the last one replaces. */
  onResponseStart(_controller: Dispatcher.DispatchController, status: number): void {
    this.#status = status
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes <= MAX_ANSWER_BYTES) return
    if (this.#end()) this.#resolve(this.#status)
    controller.abort(new GivenUp())
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
    this.#takeBack()
    return true
  }
}

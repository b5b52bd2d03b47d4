import { fork } from 'node:child_process'
import { once } from 'node:events'

/** In order of arrival. Repeated attempts count again. */
export type Arrivals = {
  /** Numbers of the deliveries, see events.ts. */
  numbers: number[]
  /** Times of the shared clock, when the body was complete. */
  at: number[]
}

export type Order = { do: 'hang'; path: string } | { do: 'release' } | { do: 'report' }

export type Receiver = {
  /** `https://127.0.0.1:<port>`, with any path. */
  url: string
  /** The authority to trust, as PEM. */
  ca: string
  /** Deliveries that were answered 204 since the last report. */
  taken(): number
  /** The arrivals since the last report. */
  report(): Promise<Arrivals>
  /** Stops answering requests for this path. */
  hang(path: string): void
  /** Answers hanging requests, and all later ones. */
  release(): void
  stop(): Promise<void>
}

type Message = { url: string; ca: string } | { taken: number } | { report: Arrivals }

/** Starts the endpoint as a separate process, to disturb the measurement less. */
export async function startReceiver(): Promise<Receiver> {
  const child = fork(new URL('receiver-process.ts', import.meta.url), { serialization: 'advanced' })
  const exit = once(child, 'exit')
  let taken = 0
  let reported = Promise.withResolvers<Arrivals>()
  const ready = Promise.withResolvers<{ url: string; ca: string }>()
  child.on('message', (message: Message) => {
    if ('url' in message) ready.resolve(message)
    else if ('taken' in message) taken = message.taken
    else reported.resolve(message.report)
  })
  child.once('exit', () => {
    const ended = new Error('the receiver ended by itself')
    ready.reject(ended)
    reported.reject(ended)
  })
  reported.promise.catch(() => undefined) // awaited below where it matters
  const order = (o: Order) => void child.send(o)
  return {
    ...(await ready.promise),
    taken: () => taken,
    async report() {
      reported = Promise.withResolvers()
      order({ do: 'report' })
      const arrivals = await reported.promise
      taken = 0
      return arrivals
    },
    hang: (path) => order({ do: 'hang', path }),
    release: () => order({ do: 'release' }),
    async stop() {
      if (child.connected) child.disconnect()
      await exit
    },
  }
}

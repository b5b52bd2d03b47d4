import { fork } from 'node:child_process'
import { once } from 'node:events'

/** One of the requests that a load repeats in turn. Default method: GET or, with a body, POST. */
export type LoadRequest = {
  method?: 'PATCH'
  path: string
  headers: Record<string, string>
  body?: string
}

export type LoadJob = {
  /** Scheme, host and port. */
  origin: string
  asked: readonly LoadRequest[]
  connections: number
  /** With a rate, requests start at it. Without, each connection sends the next request after each reply. */
  perSecond?: number
  /** How long, or how many requests. */
  seconds?: number
  requests?: number
}

export type LoadResult = {
  requests: number
  seconds: number
  /** The number of replies by status; 0 stands for no reply. */
  statuses: Record<string, number>
  /** Of each request in turn, in milliseconds; with a rate, from the moment at which it was due. */
  latencies: number[]
  /** Processor time of the generator itself. */
  cpuSeconds: number
}

/** Time limit of a job. */
const LIMIT_MS = 10 * 60_000

export type LoadGenerator = { run(job: LoadJob): Promise<LoadResult>; stop(): Promise<void> }

/** Starts the process that sends the requests. It is separate to disturb the measured system less. */
export function startLoadGenerator(): LoadGenerator {
  const child = fork(new URL('load-process.ts', import.meta.url), { serialization: 'advanced' })
  const exit = once(child, 'exit')
  return {
    async run(job) {
      const reply = once(child, 'message', { signal: AbortSignal.timeout(LIMIT_MS) })
      child.send(job)
      const [result] = (await Promise.race([reply, exit])) as [
        LoadResult | { failed: string } | number | null,
      ]
      if (result === null || typeof result === 'number') throw new Error('the load generator ended by itself')
      if ('failed' in result) throw new Error(`the load generator failed: ${result.failed}`)
      return result
    },
    async stop() {
      if (child.connected) child.disconnect()
      await exit
    },
  }
}

import { fork } from 'node:child_process'
import { once } from 'node:events'

export type FloorJob = {
  url: string
  ca: string
  connections: number
  /** Number of the first delivery. */
  from: number
  deliveries: number
  /** The number of paths that take turns. */
  orgs: number
}

export type Floor = { pid: number; run(job: FloorJob): Promise<void>; stop(): Promise<void> }

const LIMIT_MS = 5 * 60_000

/** Starts the bare loop, see floor-process.ts. */
export async function startFloor(): Promise<Floor> {
  const child = fork(new URL('floor-process.ts', import.meta.url))
  const exit = once(child, 'exit')
  await once(child, 'message')
  return {
    pid: child.pid ?? 0,
    async run(job) {
      const reply = once(child, 'message', { signal: AbortSignal.timeout(LIMIT_MS) })
      child.send(job)
      const [result] = (await Promise.race([reply, exit])) as [{ failed?: string } | number | null]
      if (result === null || typeof result === 'number') throw new Error('the floor ended by itself')
      if (result.failed !== undefined) throw new Error(`the floor failed: ${result.failed}`)
    },
    async stop() {
      if (child.connected) child.disconnect()
      await exit
    },
  }
}

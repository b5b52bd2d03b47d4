import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { ReadCounts, ReadJob } from './read-process.ts'

/** Sends the reads from a process of their own. Rejects if it ends without its counts. */
export async function readAgain(job: ReadJob): Promise<ReadCounts> {
  const child = fork(new URL('read-process.ts', import.meta.url), [JSON.stringify(job)])
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the process that reads ended with ${code}`)
  })
  const [counts] = (await Promise.race([once(child, 'message'), ended])) as [ReadCounts]
  return counts
}

// A separate process of low priority that sends the same reads again and again, all at once, as often as its user may.
// Its work would otherwise delay the requests that the test measures.
import { setPriority } from 'node:os'

/** `most` requests in all. */
export type ReadJob = { urls: string[]; headers: Record<string, string>; most: number }
/** Replies of each status, and the connections that ended without one. */
export type ReadCounts = Record<string, number>

const LOWEST_PRIORITY = 19

const job = JSON.parse(process.argv[2] ?? '{}') as ReadJob
setPriority(LOWEST_PRIORITY)
process.on('disconnect', () => process.exit())

const counts: ReadCounts = {}
for (let sent = 0; sent < job.most; sent += job.urls.length) await Promise.all(job.urls.map(read))
process.send?.(counts)
process.disconnect()

async function read(url: string): Promise<void> {
  const status = await statusOf(url)
  counts[status] = (counts[status] ?? 0) + 1
}

/** On a busy machine this process waits so long for its turn that the gateway closes connections that it is about to use. */
async function statusOf(url: string): Promise<number | 'ended'> {
  try {
    const reply = await fetch(url, { headers: job.headers })
    await reply.arrayBuffer()
    return reply.status
  } catch {
    return 'ended'
  }
}

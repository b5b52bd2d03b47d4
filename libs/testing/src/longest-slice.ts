/**
 * How long everybody else of a process waits behind one piece of work: the most CPU time that its thread spends between
 * two turns of the event loop. CPU time, since other processes must not count: a busy machine makes nothing longer but
 * the wall clock.
 */
async function sliceMs(work: () => unknown): Promise<number> {
  let longest = 0
  let since = cpuMs()
  let isOver = false
  const look = () => {
    const now = cpuMs()
    longest = Math.max(longest, now - since)
    since = now
    if (!isOver) setImmediate(look)
  }
  setImmediate(look)
  await work()
  look()
  isOver = true
  return longest
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const TRIES = 12

/**
 * The shortest of several tries, in milliseconds; the first one below `enough` will do. What blocks does so each time,
 * whereas a compilation or a collection of garbage hits one of them.
 */
export async function longestSliceMs(work: () => unknown, enough: number): Promise<number> {
  let shortest = Infinity
  for (let i = 0; i < TRIES && shortest >= enough; i += 1) shortest = Math.min(shortest, await sliceMs(work))
  return shortest
}

/** Longer than this nothing of one organization may hold up another. */
export const MAX_SLICE_MS = 50

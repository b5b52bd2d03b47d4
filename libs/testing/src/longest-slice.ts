/**
 * How long other work of the process waits for `work`: the largest CPU time of its thread between two turns of the
 * event loop. Not wall clock time, which grows on a busy machine.
 */
async function sliceMs(work: () => unknown): Promise<number> {
  let longest = 0
  let since = cpuMs()
  let isOver = false
  const measure = () => {
    const now = cpuMs()
    longest = Math.max(longest, now - since)
    since = now
    if (!isOver) setImmediate(measure)
  }
  setImmediate(measure)
  await work()
  measure()
  isOver = true
  return longest
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const TRIES = 40

/**
 * The smallest result of several tries, in milliseconds; stops at the first one below `enough`. Code that blocks does
 * so in every try, but compilation and garbage collection affect only some.
 */
export async function longestSliceMs(work: () => unknown, enough: number): Promise<number> {
  let shortest = Infinity
  for (let i = 0; i < TRIES && shortest >= enough; i += 1) shortest = Math.min(shortest, await sliceMs(work))
  return shortest
}

/** Work for one organization may delay other organizations for at most this long. */
export const MAX_SLICE_MS = 50

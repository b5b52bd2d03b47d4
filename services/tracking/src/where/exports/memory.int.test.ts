import { MAX_SLICE_MS, longestSliceMs } from '@whereabouts/testing/longest-slice'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'vitest'
import { begin, contentOf, fill, finished, iso, midnight, workerOn } from '../../../test/exports/exports.fixture.ts' // oxfmt-ignore
import { test } from '../../../test/tracking.fixture.ts'

const ROWS = 300_000
/** Some batches, a part, and what the first export compiles. The rows as text have 27 to 60 MiB, as objects far more. */
const MOST_BYTES = 64 * 2 ** 20
const GC_EVERY_MS = 100

test('D22.3 S2 a day of many rows is exported in constant memory, and holds the event loop for moments only', async ({
  tracking,
}) => {
  const from = midnight(1)
  const assets = Array.from({ length: ROWS / 1_000 }, (_, i) => 5_000 + i)
  await fill(tracking, { assets, minutes: 1_000, from, locations: [1, 2, 3] })
  const range = { from: iso(from), to: iso(from + 86_399_999) }
  workerOn(tracking)
  const before = inUse()
  for (const format of ['csv', 'parquet'] as const) {
    const watched = watchMemory()
    const id = await begin(tracking, { dataset: 'history', format, ...range })
    const { rows, files } = await finished(tracking, id, 1, 180_000)
    const most = watched.stop()
    expect(rows).toBe(ROWS)
    expect(most - before, format).toBeLessThan(MOST_BYTES)
    expect((await contentOf(tracking, files[0]?.url)).length).toBe(files[0]?.bytes)
  }
  for (const format of ['csv', 'parquet'] as const) {
    const again = async () =>
      void (await finished(
        tracking,
        await begin(tracking, { dataset: 'history', format, ...range }),
        1,
        180_000,
      ))
    expect(await longestSliceMs(again, MAX_SLICE_MS), format).toBeLessThan(MAX_SLICE_MS)
  }
}, 600_000)

/** The most bytes that are in use at a time. */
function watchMemory() {
  let most = 0
  const timer = setInterval(() => {
    most = Math.max(most, inUse())
  }, GC_EVERY_MS)
  return {
    stop: () => {
      clearInterval(timer)
      return most
    },
  }
}

/** In the heap and in buffers, without garbage. */
function inUse(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

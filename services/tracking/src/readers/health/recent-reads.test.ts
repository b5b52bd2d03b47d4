import { expect, test } from 'vitest'
import { addReads, NO_READS } from './recent-reads.ts'

const reads = (rate_minute: number, rate_reads: number, rate_before = 0) => ({
  rate_minute,
  rate_reads,
  rate_before,
})

test.for([
  { name: 'the first reads', a: NO_READS, b: reads(7, 3), sum: reads(7, 3) },
  { name: 'the same minute', a: reads(7, 3, 5), b: reads(7, 2, 1), sum: reads(7, 5, 6) },
  { name: 'the next minute', a: reads(7, 3, 5), b: reads(8, 2), sum: reads(8, 2, 3) },
  { name: 'a minute after that', a: reads(7, 3, 5), b: reads(9, 2), sum: reads(9, 2) },
])('$name: counts are added in either order', ({ a, b, sum }) => {
  expect(addReads(a, b)).toEqual(sum)
  expect(addReads(b, a)).toEqual(sum)
})

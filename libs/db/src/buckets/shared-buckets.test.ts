import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { fakeClock } from '@whereabouts/testing/clock'
import { expect, test } from 'vitest'
import { BucketRefusals } from './bucket-refusals.ts'
import { LocalBuckets } from './local-buckets.ts'
import { sharedBuckets } from './shared-buckets.ts'

const rate = { capacity: 2, secondsPerToken: 3 }
const log = createLogger('test', 'silent')

test('the database is not asked for an empty bucket until it has a token again', async () => {
  const clock = fakeClock()
  let asked = 0
  const takeShared = async () => {
    asked += 1
    return { taken: false, secondsUntilFull: 6 }
  }
  const buckets = sharedBuckets({ takeShared, log, now: clock.now })
  for (let i = 0; i < 20; i += 1) expect((await buckets.take('a', rate)).taken).toBe(false)
  expect(asked).toBe(1)
  clock.advance(3_000)
  await buckets.take('a', rate)
  expect(asked).toBe(2)
})

test('while the database is unreachable each replica limits on its own and asks again after a second', async () => {
  const clock = fakeClock()
  const sources: string[] = []
  let isAway = true
  const takeShared = async () => {
    if (isAway) throw new Error('ECONNREFUSED')
    return { taken: true, secondsUntilFull: 3 }
  }
  const onTake = (source: string, taken: boolean) => sources.push(`${source} ${taken}`)
  const buckets = sharedBuckets({ takeShared, log, now: clock.now, onTake })
  for (let i = 0; i < 3; i += 1) await buckets.take('a', rate)
  expect(sources).toEqual(['local true', 'local true', 'local false'])
  isAway = false
  clock.advance(1_000)
  await buckets.take('a', rate)
  expect(sources.at(-1)).toBe('shared true')
})

test('the refusal that was used least recently is evicted', () => {
  const refusals = new BucketRefusals(2)
  for (const bucket of ['a', 'b']) refusals.remember(bucket, rate, 6, 0)
  expect(refusals.find('a', rate, 0)).toEqual({ taken: false, secondsUntilFull: 6 })
  refusals.remember('c', rate, 6, 0)
  expect(['a', 'b', 'c'].filter((bucket) => refusals.find(bucket, rate, 0))).toEqual(['a', 'c'])
})

test('a local bucket in use stays empty while others are evicted', () => {
  const buckets = new LocalBuckets(2)
  const take = (bucket: string) => buckets.take(bucket, rate, 0).taken
  expect([take('a'), take('a'), take('a')]).toEqual([true, true, false])
  for (const other of ['b', 'c', 'd']) {
    expect(take(other)).toBe(true)
    expect(take('a')).toBe(false)
  }
  expect([take('b'), take('b')]).toEqual([true, true]) // evicted, so it is full again
})

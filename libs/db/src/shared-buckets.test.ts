import { createLogger } from '@whereabouts/service-kit/logging'
import { fakeClock } from '@whereabouts/testing/clock'
import { expect, test } from 'vitest'
import { sharedBuckets } from './shared-buckets.ts'

const rate = { capacity: 2, secondsPerToken: 3 }
const log = createLogger('test', 'silent')

test('a bucket that the database found empty is not asked for until it holds a token', async () => {
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

test('while the database is away each replica limits by itself, and asks again after a second', async () => {
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

import type { Sent } from '@whereabouts/messaging/readers/account-connections'
import { expect, test } from 'vitest'
import { FloodBuckets } from './flood-buckets.ts'

const KIB = 1_024
/** The default of one key. */
const ONE_KEY = { messagesPerSecond: 200, bytesPerSecond: 200 * 32 * KIB }
/** Twice the messages that ingest admits at once, and the same bytes. */
const BURST = { messages: 4_000, bytes: 2.5 * 200 * 32 * KIB }

const sent = (user: string, messages: number, bytes = messages * 100): Sent => ({ user, messages, bytes })

/** The users disconnected, sample by sample, a quarter of a second apart. */
function run(samples: Sent[][], allowance = ONE_KEY): string[][] {
  const buckets = new FloodBuckets()
  return samples.map((sample, n) => buckets.take(7, sample, allowance, n * 250).map(({ user }) => user))
}

test.for([
  { name: 'a burst of messages', sample: sent('a', BURST.messages), cut: [] },
  { name: 'one message more', sample: sent('a', BURST.messages + 1), cut: ['a'] },
  { name: 'a burst of bytes', sample: sent('a', 125, BURST.bytes), cut: [] },
  { name: 'one byte more', sample: sent('a', 125, BURST.bytes + 1), cut: ['a'] },
])('$name', ({ sample, cut }) => expect(run([[sample]])).toEqual([cut]))

test('twice the rate is allowed for ever, more is not', () => {
  const samples = (messages: number) => Array.from({ length: 400 }, () => [sent('a', messages)])
  expect(run(samples(100)).flat()).toEqual([])
  expect(run(samples(130)).flat()).toContain('a')
})

test('rates that operators set are applied', () => {
  const large = { messagesPerSecond: 2_000, bytesPerSecond: 2_000 * 32 * KIB }
  expect(run([[sent('a', 10 * BURST.messages, 10 * BURST.bytes)]], large)).toEqual([[]])
})

test('users with a tenth of the excess are disconnected, the others stay', () => {
  const flood = [sent('a', 10_000), sent('b', 1_000), sent('quiet', 50)]
  expect(run([flood, [sent('quiet', 50)], [sent('quiet', 50)]])).toEqual([['a', 'b'], [], []])
})

test('if many send a little each, the largest are disconnected until the rest is within the rate', () => {
  const many = Array.from({ length: 40 }, (_, n) => sent(`k${n}`, 200 + n))
  const [cut = []] = run([many])
  expect(cut).toHaveLength(39)
  expect(cut).not.toContain('k0')
  expect(run([[...many, sent('quiet', 50)]])[0]).not.toContain('quiet')
})

test('messages older than two seconds are ignored', () => {
  const pause = Array.from({ length: 10 }, (): Sent[] => [])
  const [last] = run([[sent('early', 3_500)], ...pause, [sent('late', 6_000)]]).slice(-1)
  expect(last).toEqual(['late'])
})

test('each organization has its own buckets', () => {
  const buckets = new FloodBuckets()
  expect(buckets.take(7, [sent('a', 9_000)], ONE_KEY, 0)).toMatchObject([
    { user: 'a', messagesPerSecond: 4_500, bytesPerSecond: 450_000 },
  ])
  expect(buckets.take(8, [sent('b', 3_000)], ONE_KEY, 0)).toEqual([])
})

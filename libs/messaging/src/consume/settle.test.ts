import { expect, test } from 'vitest'
import { PoisonError, settle } from './settle.ts'

const flaky = new Error('reset')
const poison = new PoisonError('not JSON')

test.for([
  { name: 'success is acknowledged', error: undefined, delivery: 1, want: { do: 'ack' } },
  { name: 'a late success is acknowledged', error: undefined, delivery: 9, want: { do: 'ack' } },
  { name: 'the first failure waits 1 s', error: flaky, delivery: 1, want: { do: 'nak', delayMs: 1_000 } },
  { name: 'the second failure waits 5 s', error: flaky, delivery: 2, want: { do: 'nak', delayMs: 5_000 } },
  {
    name: 'the third failure makes a dead letter',
    error: flaky,
    delivery: 3,
    want: { do: 'dead-letter', reason: 'retries exhausted' },
  },
  {
    name: 'so does each later failure',
    error: flaky,
    delivery: 12,
    want: { do: 'dead-letter', reason: 'retries exhausted' },
  },
  { name: 'null is a failure', error: null, delivery: 1, want: { do: 'nak', delayMs: 1_000 } },
  {
    name: 'poison becomes a dead letter at once',
    error: poison,
    delivery: 1,
    want: { do: 'dead-letter', reason: 'not JSON' },
  },
])('$name', ({ error, delivery, want }) => expect(settle(error, delivery, [1_000, 5_000])).toEqual(want))

test('without retry delays the first failure makes a dead letter', () => {
  expect(settle(flaky, 1, [])).toEqual({ do: 'dead-letter', reason: 'retries exhausted' })
})

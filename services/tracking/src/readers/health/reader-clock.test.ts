import { describe, expect, test } from 'vitest'
import { clockOf, clockProblem, mergeClocks, type ReaderClock } from './reader-clock.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const T0 = Date.UTC(2026, 10, 26, 12)

type Sample = [atMs: number, offsetMs: number | 'unset']

const add = (clock: ReaderClock | null, samples: readonly Sample[]) =>
  samples.reduce<ReaderClock | null>(
    (before, [at, offsetMs]) => mergeClocks(before, clockOf({ atMs: T0 + at, offsetMs })),
    clock,
  )

const every = (stepMs: number, offsets: readonly (number | 'unset')[]): Sample[] =>
  offsets.map((offset, index) => [index * stepMs, offset])

const stateAfter = (samples: readonly Sample[]) => add(null, samples)?.state
const same = (offset: number, count: number) => Array.from({ length: count }, () => offset)

describe('D18.4 the clock of a reader', () => {
  test.for([
    { name: 'five hours behind', samples: every(15 * SECOND, same(-5 * HOUR, 5)), state: 'behind' },
    { name: 'ahead', samples: every(15 * SECOND, same(8 * HOUR, 5)), state: 'ahead' },
    { name: 'four messages', samples: every(20 * SECOND, same(-5 * HOUR, 4)), state: 'ok' },
    { name: 'less than a minute', samples: every(14 * SECOND, same(-5 * HOUR, 5)), state: 'ok' },
    { name: 'five minutes', samples: every(15 * SECOND, same(-5 * MINUTE, 9)), state: 'ok' },
    {
      name: 'more than five minutes',
      samples: every(15 * SECOND, same(-5 * MINUTE - 1, 5)),
      state: 'behind',
    },
    { name: 'two minutes around an offset', samples: every(15 * SECOND, [0, 2, -2, 1, 0].map((m) => m * MINUTE - 5 * HOUR)), state: 'behind' }, // oxfmt-ignore
    { name: 'more than two minutes around any offset', samples: every(15 * SECOND, [0, 2.1, -2.1, 1, 0].map((m) => m * MINUTE - 5 * HOUR)), state: 'ok' }, // oxfmt-ignore
    { name: 'the last five of more', samples: every(15 * SECOND, [-9 * HOUR, -7 * HOUR, ...same(-5 * HOUR, 5)]), state: 'behind' }, // oxfmt-ignore
    { name: 'a backlog', samples: every(15 * SECOND, Array.from({ length: 200 }, (_, n) => -5 * HOUR + n * 90 * SECOND)), state: 'ok' }, // oxfmt-ignore
    { name: 'a backlog that shrinks by seconds', samples: every(15 * SECOND, Array.from({ length: 2_000 }, (_, n) => -5 * HOUR + n * 8 * SECOND)), state: 'ok' }, // oxfmt-ignore
    { name: 'a right message among wrong ones', samples: every(15 * SECOND, [...same(-5 * HOUR, 4), -SECOND, ...same(-5 * HOUR, 4)]), state: 'ok' }, // oxfmt-ignore
    { name: 'a time before 2015', samples: [[0, -12 * 366 * 24 * HOUR]] as Sample[], state: 'unset' },
    { name: 'an uptime', samples: [[0, 'unset']] as Sample[], state: 'unset' },
    { name: 'set after a while', samples: every(SECOND, ['unset', 'unset', -SECOND]), state: 'ok' },
  ] as const)('$name: $state', ({ samples, state }) => {
    expect(stateAfter(samples)).toBe(state)
  })

  test('however the messages are divided among writes, the state is the same', () => {
    const samples = every(7 * SECOND, [
      -HOUR,
      -SECOND,
      ...same(-5 * HOUR, 12),
      3 * HOUR,
      ...same(-5 * HOUR, 3),
    ])
    const want = add(null, samples)
    for (const size of [1, 2, 3, 5, 8, samples.length]) {
      let stored: ReaderClock | null = null
      for (let at = 0; at < samples.length; at += size)
        stored = mergeClocks(stored, add(null, samples.slice(at, at + size)))
      expect({ size, state: stored?.state, run: stored?.run, wrong: stored?.wrong }).toEqual({
        size, state: want?.state, run: want?.run, wrong: want?.wrong,
      }) // oxfmt-ignore
    }
  })

  test('two replicas with every second message each: a wrong clock is found, a backlog is not', () => {
    const half = (samples: readonly Sample[], rest: number) => samples.filter((_, n) => n % 2 === rest)
    const written = (samples: readonly Sample[]) => {
      let stored: ReaderClock | null = null
      for (let at = 0; at < samples.length; at += 6) {
        const part = samples.slice(at, at + 6)
        for (const rest of [1, 0]) stored = mergeClocks(stored, add(null, half(part, rest)))
      }
      return stored?.state
    }
    expect(written(every(10 * SECOND, same(-5 * HOUR, 12)))).toBe('behind')
    expect(
      written(
        every(
          10 * SECOND,
          Array.from({ length: 400 }, (_, n) => -5 * HOUR + n * 9 * SECOND),
        ),
      ),
    ).toBe('ok')
  })

  test('a wrong clock stays wrong until the first message within five minutes', () => {
    const wrong = add(null, every(15 * SECOND, same(-5 * HOUR, 12)))
    expect(clockProblem(wrong)).toBe(
      'The clock is 5 h 0 min behind for 12 messages, which looks like local time sent as UTC. Set the time zone of the device (or of the reader, if its times name none), or let the time of receipt count.',
    )
    expect(add(wrong, [[HOUR, -8 * HOUR]])?.state).toBe('behind')
    const ended = add(wrong, [[HOUR, -5 * MINUTE]])
    expect([ended?.state, clockProblem(ended)]).toEqual(['ok', undefined])
    expect(add(ended, [[HOUR + MINUTE, -5 * HOUR]])?.state).toBe('ok')
    expect(add(ended, every(HOUR, same(-5 * HOUR, 5)))?.state).toBe('behind')
  })

  test('a clock that is set from unset to wrong is not unset any more', () => {
    const unset = add(null, every(15 * SECOND, ['unset', 'unset', 'unset', 'unset', 'unset']))
    expect(clockProblem(unset)).toContain('The clock is not set for 5 messages')
    const set = add(unset, [[5 * MINUTE, -5 * HOUR]])
    expect([set?.state, clockProblem(set)]).toEqual(['ok', undefined])
  })

  test('an offset that no zone has is a clock to be set', () => {
    const odd = add(null, every(15 * SECOND, same(-37 * MINUTE, 5)))
    expect(clockProblem(odd)).toBe(
      'The clock is 0 h 37 min behind for 5 messages. Set the clock of the device, or let the time of receipt count.',
    )
  })
})

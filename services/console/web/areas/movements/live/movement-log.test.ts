import { describe, expect, test } from 'vitest'
import { addEntries, addPast, emptyLog, type Entry, KEPT, matches, pause, resume } from './movement-log.ts'

const moved = (key: string, name = 'Forklift'): Entry => ({
  kind: 'moved',
  key,
  movement: {
    delivery_id: key,
    occurred_at: '2026-11-21T10:00:00.000Z',
    asset: { id: 1, external_key: 'FL-1', name },
    from_location: null,
    to_location: { id: 2, name: 'Dock' },
  },
})
const gap = (key: string): Entry => ({
  kind: 'gap',
  key,
  at: '2026-11-21T10:00:00.000Z',
  knownUntil: '2026-11-21T09:57:00.000Z',
})
const keys = (entries: readonly Entry[]) => entries.map(({ key }) => key)

describe('the log of movements', () => {
  test('has the newest first, without duplicates', () => {
    const log = addEntries(addEntries(emptyLog, [moved('a'), moved('b')]), [
      moved('b'),
      gap('g'),
      moved('c'),
      moved('c'),
    ])
    expect(keys(log.shown)).toEqual(['c', 'g', 'b', 'a'])
  })

  test('keeps the last entries', () => {
    const many = Array.from({ length: KEPT + 5 }, (_, i) => moved(String(i)))
    const { shown } = addEntries(emptyLog, many)
    expect([shown.length, shown[0]?.key, shown.at(-1)?.key]).toEqual([KEPT, String(KEPT + 4), '5'])
  })

  test('does not change while paused, counts new movements, and shows them on resume', () => {
    const paused = addEntries(pause(addEntries(emptyLog, [moved('a')])), [moved('b'), gap('g'), moved('c')])
    expect(keys(paused.shown)).toEqual(['a'])
    expect(paused.waitingMovements).toBe(2)
    const { shown, isPaused, waitingMovements } = resume(paused)
    expect([keys(shown), isPaused, waitingMovements]).toEqual([['c', 'g', 'b', 'a'], false, 0])
  })

  test('counts all movements while paused, also dropped ones', () => {
    const many = Array.from({ length: KEPT + 5 }, (_, i) => moved(String(i)))
    const paused = addEntries(pause(emptyLog), many)
    expect([paused.waiting.length, paused.waitingMovements]).toEqual([KEPT, KEPT + 5])
  })
})

describe('the movements of the last minutes', () => {
  const movement = (key: string, time: string) => {
    const entry = moved(key)
    if (entry.kind === 'gap') throw new Error('it is a movement')
    return { ...entry.movement, occurred_at: `2026-11-21T${time}.000Z` }
  }
  const past = [movement('b', '10:00:00'), movement('y', '09:59:00'), movement('x', '09:58:00')]

  test('are added where they belong, once, and fill a gap', () => {
    const log = addEntries(emptyLog, [moved('a'), gap('g'), moved('b')])
    expect(keys(addPast(log, past, '2026-11-21T09:56:00.000Z').shown)).toEqual(['b', 'a', 'y', 'x'])
  })

  test('keep a gap that begins before them', () => {
    const log = addEntries(emptyLog, [gap('g')])
    expect(keys(addPast(log, past, '2026-11-21T09:58:00.000Z').shown)).toEqual(['g', 'b', 'y', 'x'])
  })

  test('wait while the list is paused', () => {
    const { shown, waiting, waitingMovements } = addPast(
      pause(addEntries(emptyLog, [moved('b')])),
      past,
      '2026-11-21T09:56:00.000Z',
    )
    expect([keys(shown), keys(waiting), waitingMovements]).toEqual([['b'], ['y', 'x'], 2])
  })
})

describe('the filter', () => {
  test.for([
    ['', true],
    ['FORK', true],
    ['fl-1', true],
    ['dock', true],
    ['shelf', false],
  ] as const)('%o', ([text, expected]) => {
    expect(matches(moved('a'), text)).toBe(expected)
  })

  test('never hides a gap', () => {
    expect(matches(gap('g'), 'shelf')).toBe(true)
  })
})

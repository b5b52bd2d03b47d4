import { expect, test } from 'vitest'
import { Endpoint } from './endpoint.ts'
import type { Found, Work } from './work.queries.ts'

const NOW = 1_000_000

const workOf = (seq: number, kind: Work['kind'] = 'move', more: Partial<Work> = {}): Work => ({
  kind,
  seq,
  delivery_id: `id ${seq}`,
  type: 'asset.moved',
  occurred_at: '2026-11-21T10:00:00.500Z',
  recorded_at: '2026-11-21T10:00:00.500Z',
  data: '{}',
  about: null,
  trace: null,
  thing: null,
  attempts: 0,
  sinceFirstMs: 0,
  isKnown: false,
  isBehind: false,
  ...more,
})

const foundWith = (work: Work[], more: Partial<Found> = {}): Found => ({
  target: {
    id: 1,
    org_id: 1,
    url: 'https://receiver.example/',
    enabled: true,
    retry: 'standard',
    event_types: ['asset.moved'],
    filter: null,
    secret_ciphertext: Buffer.alloc(0),
    secret_key_id: 'k1',
    previous: undefined,
  },
  head: 100,
  passed: 0,
  passedTo: null,
  dueInMs: null,
  work,
  ...more,
})

const endpointAt = (position: number) =>
  new Endpoint({ id: 1, org_id: 1, moves: position, others: position }, NOW)

const look = (endpoint: Endpoint, found: Found, want = 4) => {
  endpoint.beginLook()
  return endpoint.take(found, want, NOW)
}

test('what is recorded while the database is asked is looked for again, round after round', () => {
  const endpoint = endpointAt(0)
  for (let round = 0; round < 3; round += 1) {
    endpoint.beginLook()
    endpoint.hasMore = true // woken
    endpoint.take(foundWith([]), 4, NOW)
    expect(endpoint.isReady(NOW)).toBe(true)
    look(endpoint, foundWith([]))
    expect(endpoint.isReady(NOW)).toBe(false)
  }
})

test('without a row that is due, nothing is looked for, and the endpoint is left after a while', () => {
  const endpoint = endpointAt(0)
  look(endpoint, foundWith([]))
  expect(endpoint.readyAt()).toBe(Infinity)
  expect(endpoint.isIdle(NOW)).toBe(true)
  look(endpoint, foundWith([], { dueInMs: 1_000 }))
  expect([endpoint.readyAt(), endpoint.isIdle(NOW)]).toEqual([NOW + 1_000, false])
})

test('an endpoint is not left while the database is asked', () => {
  const endpoint = endpointAt(0)
  look(endpoint, foundWith([]))
  endpoint.beginLook()
  expect(endpoint.isIdle(NOW)).toBe(false)
  endpoint.lookFailed()
  expect(endpoint.isReady(NOW)).toBe(true)
})

test('the position stays before the oldest delivery that is not saved', () => {
  const endpoint = endpointAt(10)
  const [first, second, third] = [workOf(11), workOf(15), workOf(20)]
  look(endpoint, foundWith([first, second, third]))
  expect(endpoint.positionAfter(new Set())).toEqual({ moves: 10, others: 100 })
  expect(endpoint.positionAfter(new Set([second, third]))).toEqual({ moves: 10, others: 100 })
  expect(endpoint.positionAfter(new Set([first]))).toEqual({ moves: 14, others: 100 })
  expect(endpoint.positionAfter(new Set([first, second, third]))).toEqual({ moves: 100, others: 100 })
})

test('moves and rows that are due take turns, and other events follow', () => {
  const endpoint = endpointAt(0)
  const work = [
    ...[1, 2, 3].map((seq) => workOf(seq, 'due')),
    ...[50, 51, 52].map((seq) => workOf(seq, 'move')),
    ...[60, 61, 62].map((seq) => workOf(seq, 'other')),
  ]
  const { begun } = look(endpoint, foundWith(work), 8)
  expect(begun.map(({ kind }) => kind).toSorted()).toEqual([
    'due',
    'due',
    'due',
    'move',
    'move',
    'move',
    'other',
    'other',
  ])
  expect(
    begun
      .slice(0, 2)
      .map(({ kind }) => kind)
      .toSorted(),
  ).toEqual(['due', 'move'])
  expect(endpoint.read).toEqual({ moves: 100, others: 61 })
})

test('a delivery under way is not begun again, however old the answer of the database is', () => {
  const endpoint = endpointAt(0)
  const due = workOf(5, 'due')
  look(endpoint, foundWith([due]))
  endpoint.beginLook()
  endpoint.ended(due, false)
  endpoint.saved(due)
  expect(endpoint.take(foundWith([workOf(5, 'due')]), 4, NOW).begun).toEqual([])
})

test('D13.4 of one thing the second begins after the first, and waits as a row if that fails', () => {
  const endpoint = endpointAt(0)
  const [first, second] = [workOf(1, 'other', { thing: 'asset 1' }), workOf(2, 'other', { thing: 'asset 1' })]
  expect(look(endpoint, foundWith([first, second])).begun).toEqual([first])
  endpoint.ended(first, true)
  expect(endpoint.saved(first)).toEqual([second])
  const third = workOf(3, 'other', { thing: 'asset 1' })
  expect(endpoint.take(foundWith([third]), 4, NOW)).toEqual({ begun: [], blocked: [third] })
})

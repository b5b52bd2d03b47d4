import { expect, test } from 'vitest'
import { NOTHING, withEvent } from './use-live-reads.ts'

const read = (value: string, antenna: number | null = 1, rssi = -50) => ({
  received_at: '2026-11-26T10:00:00.000Z',
  via: 'mqtt',
  tag: { tag_type: 'rfid', value },
  antenna,
  rssi,
  outcome: 'unknown_tag',
})
const after = (...events: [string, unknown][]) =>
  events.reduce((seen, [event, data]) => withEvent(seen, event, data), NOTHING)

test('a tag keeps its place while it is read again, for each antenna', () => {
  const seen = after(
    ['read', read('A')],
    ['read', read('B')],
    ['read', read('A', 2)],
    ['read', read('A', 1, -40)],
  )
  expect(seen.tags.map(({ tag, antenna, reads, rssi }) => [tag.value, antenna, reads, rssi])).toEqual([
    ['A', 2, 1, -50],
    ['B', 1, 1, -50],
    ['A', 1, 2, -40],
  ])
})

test('the newest fifty tags are kept; the last problem and what was omitted too', () => {
  const many = Array.from({ length: 60 }, (_, i): [string, unknown] => ['read', read(String(i))])
  const problems = [{ pointer: '', code: 'refused', detail: 'Unknown format.' }]
  const seen = after(
    ...many,
    ['omitted', { reads: 3, messages: 2 }],
    ['omitted', { reads: 1, messages: 0 }],
    ['problem', { problems }],
    ['another', {}],
  )
  expect([seen.tags.length, seen.tags[0]?.tag.value, seen.omitted, seen.problems]).toEqual([
    50,
    '59',
    6,
    problems,
  ])
})

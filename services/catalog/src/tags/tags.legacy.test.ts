import { expect, test } from 'vitest'
import { tagChanges } from './tags.legacy.ts'

const stored = [
  { id: 1, tag_type: 'rfid', value: 'A' },
  { id: 2, tag_type: 'rfid', value: 'B' },
  { id: 3, tag_type: 'ble', value: 'A' },
]
const rfid = (value: string) => ({ tag_type: 'rfid' as const, value })

test.for([
  { name: 'none', wanted: [], missing: [], surplus: [1, 2, 3] },
  { name: 'the same in another order', wanted: [rfid('B'), rfid('A')], missing: [], surplus: [3] },
  { name: 'others', wanted: [rfid('D'), rfid('A'), rfid('C')], missing: ['D', 'C'], surplus: [2, 3] },
  { name: 'the same value in another case', wanted: [rfid('a')], missing: ['a'], surplus: [1, 2, 3] },
])('$name: missing tags are attached in the given order, others removed', (one) => {
  const changes = tagChanges(stored, one.wanted)
  expect(changes.missing.map(({ value }) => value)).toEqual(one.missing)
  expect(changes.surplus).toEqual(one.surplus)
})

test('D6.3 a tag that is twice in the list is taken, stored or not', () => {
  for (const value of ['A', 'new'])
    expect(() => tagChanges(stored, [rfid(value), rfid(value)])).toThrow(`tag rfid:${value} already exists`)
})

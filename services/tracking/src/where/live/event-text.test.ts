import { describe, expect, test } from 'vitest'
import { epochOf, idOf, movementText, parseId, cursorText, resetText } from './event-text.ts'

const cursor = { epoch: epochOf('2026-11-21T10:00:00.123456789Z'), seq: 42 }
const moved = {
  delivery_id: '0b3f1c9e-57a1-4e53-9d8e-3a1f0f4f6a10',
  org_id: 7,
  occurred_at: '2026-11-21T10:00:00.000Z',
  kind: 'scan',
  asset: { id: 1, external_key: 'A-1', name: 'two\nlines\r\nand \u2028 more', revision: 9 },
  from_location: null,
  to_location: { id: 2, name: 'Dock' },
}

describe('D10 the text of a live event', () => {
  test('is an id, a name and one line of JSON without internal fields', () => {
    const lines = movementText(cursor, 7, moved).split('\n')
    expect(lines).toEqual([`id: ${idOf(cursor)}`, 'event: asset.moved', expect.any(String), '', ''])
    const { org_id: _org, kind: _kind, asset, ...rest } = moved
    const { revision: _revision, ...shown } = asset
    expect(JSON.parse(lines[2]?.slice('data: '.length) ?? '')).toEqual({ ...rest, asset: shown })
  })

  test('is never made from a movement of another organization or another payload', () => {
    expect(() => movementText(cursor, 8, moved)).toThrow('of 7 among those of 8')
    expect(() => movementText(cursor, 7, { ...moved, asset: null })).toThrow(/asset/)
    expect(() => movementText(cursor, 7, undefined)).toThrow(/expected object/)
  })

  test('a reset has data, a cursor has none', () => {
    expect(resetText(cursor)).toBe(`id: ${idOf(cursor)}\nevent: reset\ndata: {}\n\n`)
    expect(cursorText(cursor)).toBe(`:\nid: ${idOf(cursor)}\n\n`)
  })
})

describe('D10 an event id', () => {
  test('starts with the sequence and can be parsed', () => {
    expect(idOf(cursor)).toMatch(/^42-/)
    expect(parseId(idOf(cursor))).toEqual(cursor)
  })

  test.for(['', '42', '42-', '-42-abc', '42-ABC', '42-abc-', ' 42-abc', '4e2-abc', `${'9'.repeat(16)}-abc`, '42-abc\n'])(
    '%j is not one',
    (text) => expect(parseId(text)).toBeUndefined(),
  ) // oxfmt-ignore
})

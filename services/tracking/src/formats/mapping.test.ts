import { ReaderMapping } from '@whereabouts/contracts/reader-mapping'
import { ReaderCreate } from '@whereabouts/contracts/readers'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { DecodeContext } from './decoder.ts'
import {
  contextOf,
  CURRENT,
  decode,
  errorsOf,
  listFixtures,
  readFixture,
} from '../../test/formats/format-testing.ts'
import { decodeMapping } from './mapping.ts'

const CURRENT_MS = Date.parse(CURRENT)
const BASE = { reads: '/list', tag: '/id', tag_type: 'rfid' } as const

/** `mapping` as the API would accept it. */
const read = (message: unknown, mapping: object = {}, timezone?: string) =>
  decode('mapping', message, { timezone, mapping: ReaderMapping.parse({ ...BASE, ...mapping }) })

const values = (...given: Parameters<typeof read>) => read(...given).reads.map((one) => one.tag_value)

describe('the pointer to the reads', () => {
  test('leads to an array of items, one item, or nothing', () => {
    expect(values({ list: [{ id: 'ABCD' }, { id: 'EF01' }] })).toEqual(['ABCD', 'EF01'])
    expect(values({ list: { id: 'ABCD' } })).toEqual(['ABCD'])
    for (const list of [[], null])
      expect(read({ list })).toMatchObject({ reads: [], errors: [], isDeadLetter: false })
  })

  test('makes a dead letter of a message without its target', () => {
    for (const message of [{ other: [] }, {}, [], '"text"', null]) {
      expect(read(message)).toMatchObject({
        isDeadLetter: true,
        errors: [{ code: 'unexpected_shape', pointer: '' }],
      })
    }
  })

  test('may be the root, also line by line and glued', () => {
    const mapping = { reads: '' }
    expect(values([{ id: 'ABCD' }, { id: 'EF01' }], mapping)).toEqual(['ABCD', 'EF01'])
    expect(values('{"id":"ABCD"}\r\n\r\n{"id":"EF01"}{"id":"EF02"}\n', mapping)).toEqual([
      'ABCD',
      'EF01',
      'EF02',
    ])
  })

  test('leads to rows that are arrays, and to bare values', () => {
    const rows = { list: [['ABCD', -60], ['EF01', -61]] } // oxfmt-ignore
    expect(read(rows, { tag: '/0', rssi: '/1' }).reads).toMatchObject([
      { tag_value: 'ABCD', rssi_dbm: -60 },
      { tag_value: 'EF01', rssi_dbm: -61 },
    ])
    expect(values({ list: ['ABCD', 'EF01'] }, { tag: '' })).toEqual(['ABCD', 'EF01'])
  })

  test('drops only bad items, and reports the pointer of each', () => {
    const decoded = read({ list: [7, { id: 'x' }, {}, null, { id: 'ABCD' }, [], { id: 7 }] })
    expect(decoded.reads).toHaveLength(1)
    expect(errorsOf(decoded)).toEqual([
      'unexpected_shape /list/0',
      'invalid_tag /list/1/id',
      'missing_tag /list/2',
      'unexpected_shape /list/3',
      'unexpected_shape /list/5',
      'invalid_tag /list/6/id',
    ])
  })

  test('escapes slashes and tildes in names as RFC 6901 does, also in errors', () => {
    const decoded = read({ 'a/b': [{ 'c~d': 'x' }] }, { reads: '/a~1b', tag: '/c~0d' })
    expect(errorsOf(decoded)).toEqual(['invalid_tag /a~1b/0/c~0d'])
  })

  test('never finds inherited members', () => {
    const mapping = { tag: '/constructor/name', tag_type: 'barcode' }
    expect(errorsOf(read({ list: [{ id: 'ABCD' }] }, mapping))).toEqual(['missing_tag /list/0'])
    expect(read({}, { reads: '/__proto__' })).toMatchObject({ isDeadLetter: true })
  })
})

describe('the tag', () => {
  test.for([
    { tag_type: 'rfid', id: 'abcd', want: 'ABCD' },
    { tag_type: 'rfid', tag_format: 'base64url', id: 'MDQCQiAbPEAAAAAB', want: '30340242201B3C4000000001' },
    { tag_type: 'ble', id: 'd2:f3:04:15:26:a7', want: 'D2F3041526A7' },
    { tag_type: 'barcode', id: ' Lot-00042 a ', want: ' Lot-00042 a ' },
    { tag_type: 'rfid', id: 'D2:F3', want: 'D2F3' },
    { tag_type: 'ble', id: 'ABCD', want: undefined },
    { tag_type: 'barcode', id: 'a\0b', want: undefined },
  ])('$tag_type $tag_format $id is $want', ({ id, want, ...mapping }) => {
    expect(read({ list: { id } }, mapping).reads[0]?.tag_value).toBe(want)
  })
})

describe('the other fields', () => {
  const mapping = { antenna: '/a', count: '/n', rssi: '/r', location: '/l' }

  test('numeric text counts as a number, and an absent field has its default', () => {
    expect(
      read({ list: { id: 'ABCD', a: '4', n: '7', r: ' -61.5 ', l: 'DOCK-1' } }, mapping).reads,
    ).toMatchObject([{ antenna: 4, read_count: 7, rssi_dbm: -61.5, extra: { location: 'DOCK-1' } }])
    const bare = read({ list: { id: 'ABCD' } }, mapping)
    expect(bare.reads).toMatchObject([{ antenna: 1, read_count: 1, rssi_dbm: null, read_at_ms: null }])
    expect(bare).toMatchObject({ errors: [], health: [] }) // no config_gap: the installer chose the fields
  })

  test('an unusable field is reported with its pointer, and the read is kept', () => {
    const decoded = read({ list: [{ id: 'ABCD', a: 0, n: -1, r: '?', l: 7 }] }, mapping)
    expect(decoded.reads).toMatchObject([{ antenna: 1, read_count: 1, rssi_dbm: null }])
    expect(errorsOf(decoded).toSorted()).toEqual(
      ['a', 'l', 'n', 'r'].map((name) => `invalid_field /list/0/${name}`),
    )
  })

  test.for([
    { rssi_unit: undefined, r: -61, want: -61 },
    { rssi_unit: 'dBm', r: -61, want: -61 },
    { rssi_unit: 'dBm/10', r: -615, want: -61.5 },
    { rssi_unit: 'dBm/100', r: -6150, want: -61.5 },
  ])('$r in $rssi_unit is $want dBm', ({ rssi_unit, r, want }) => {
    expect(read({ list: { id: 'ABCD', r } }, { rssi: '/r', rssi_unit }).reads[0]?.rssi_dbm).toBe(want)
  })
})

describe('times', () => {
  const at = (t: unknown, mapping: object, more: object = {}, timezone?: string) =>
    read({ list: { id: 'ABCD', t }, ...more }, { time: '/t', ...mapping }, timezone)
  const readAt = (...given: Parameters<typeof at>) => at(...given).reads[0]?.read_at_ms

  test.for([
    { time_format: 'iso', t: '2026-03-01T11:00:04+01:00' },
    { time_format: 'epoch_s', t: CURRENT_MS / 1000 },
    { time_format: 'epoch_s', t: String(CURRENT_MS / 1000) },
    { time_format: 'epoch_ms', t: CURRENT_MS },
    { time_format: 'epoch_us', t: CURRENT_MS * 1000 },
  ])('$time_format $t', ({ time_format, t }) => {
    expect(readAt(t, { time_format })).toBe(CURRENT_MS)
  })

  test('wall time is in the zone of the message, or else of the reader, or else unknown', () => {
    const local = { time_format: 'local', zone: '/tz' }
    for (const t of ['2026-03-01 18:00:04', '2026/03/01T18:00:04.000']) {
      expect(readAt(t, local, { tz: '+8:00' }, 'UTC')).toBe(CURRENT_MS)
      expect(readAt(t, local, {}, 'Asia/Singapore')).toBe(CURRENT_MS)
      expect(readAt(t, local)).toBeNull()
    }
    const unknown = at('2026-03-01 18:00:04', local, { tz: 'Mars' }, 'Asia/Singapore')
    expect(unknown.reads).toMatchObject([{ read_at_ms: CURRENT_MS }])
    expect(errorsOf(unknown)).toEqual(['invalid_field /tz'])
  })

  test('a zone next to a number is ignored, even an invalid one', () => {
    for (const tz of ['+8:00', 'Mars']) {
      const decoded = at(CURRENT_MS, { time_format: 'epoch_ms', zone: '/tz' }, { tz })
      expect(decoded).toMatchObject({ reads: [{ read_at_ms: CURRENT_MS }], errors: [] })
    }
  })

  test('a time in another form than the mapping names is reported', () => {
    expect(errorsOf(at(CURRENT, { time_format: 'epoch_ms' }))).toEqual(['invalid_field /list/t'])
    expect(errorsOf(at(CURRENT_MS, { time_format: 'iso' }))).toEqual(['invalid_field /list/t'])
  })

  test('an uptime means that the clock is not set', () => {
    expect(at(77, { time_format: 'epoch_s' })).toMatchObject({
      reads: [{ read_at_ms: null }],
      health: [{ kind: 'clock_unset' }],
    })
  })
})

describe('events', () => {
  const mapping = { event: '/ev', read_events: ['SEEN', 1, false], heartbeat_events: ['TICK', 2, true] }
  const outcome = (ev: unknown) => {
    const { reads, health, errors } = read({ list: [{ ev, id: 'ABCD' }] }, mapping)
    return [...reads.map(() => 'read'), ...health.map(({ kind }) => kind), ...errors.map(({ code }) => code)]
  }

  test('values are compared as JSON values', () => {
    for (const ev of ['SEEN', 1, false]) expect(outcome(ev)).toEqual(['read'])
    for (const ev of ['TICK', 2, true]) expect(outcome(ev)).toEqual(['heartbeat'])
    for (const ev of ['seen', '1', 'false', 0, null, undefined, {}, [1]])
      expect(outcome(ev)).toEqual(['unknown_event'])
  })

  test('a heartbeat needs no tag and has a time like a read', () => {
    const timed = { ...mapping, time: '/t', time_format: 'epoch_ms' }
    expect(read({ list: [{ ev: 'TICK', t: CURRENT_MS }] }, timed)).toMatchObject({
      reads: [],
      health: [{ kind: 'heartbeat', at_ms: CURRENT_MS }],
      errors: [],
    })
  })
})

describe('the identity of the device', () => {
  test('is at the root, also without reads, or in the item if the root is an array', () => {
    const mapping = { identity: '/name' }
    expect(read({ name: 'plc-4', list: [] }, mapping).identity).toBe('plc-4')
    const items = [{ id: 'ABCD' }, { id: 'EF01', name: '00:05:7b:87:a0:01' }, { id: 'EF02', name: 'later' }]
    expect(read(items, { ...mapping, reads: '' }).identity).toBe('00057B87A001')
  })
})

test('the example of the guide is accepted and decodes its fixtures correctly', () => {
  const guide = readFileSync(new URL('../../../../docs/readers.md', import.meta.url), 'utf8')
  const [, body = ''] = /-d '(\{\s*"reader_key": "advan-shelf"[^']*)'/.exec(guide) ?? []
  const { mapping } = ReaderCreate.parse(JSON.parse(body))
  const keonn = listFixtures().filter(({ file }) => file.startsWith('mapping-keonn'))
  expect(keonn).toHaveLength(2)
  for (const fixture of keonn) {
    const decodeWith = (given: DecodeContext) => decodeMapping(readFixture(fixture), given)
    const context = contextOf(fixture)
    expect(decodeWith({ ...context, mapping: mapping ?? undefined })).toEqual(decodeWith(context))
  }
})

test('without a mapping, every message is a dead letter', () => {
  expect(decode('mapping', { list: [] })).toMatchObject({ isDeadLetter: true, reads: [] })
})

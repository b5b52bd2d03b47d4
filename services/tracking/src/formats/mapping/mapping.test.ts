import { ReaderMapping } from '@whereabouts/contracts/resources/tracking/reader-mapping'
import { ReaderCreate } from '@whereabouts/contracts/resources/tracking/readers'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { DecodeContext } from '../decoder.ts'
import {
  contextOf,
  CURRENT,
  decode,
  errorsOf,
  listFixtures,
  readFixture,
} from '../../../test/formats/format-testing.ts'
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
    { tag_type: 'ble', id: 'D2-F3-04-15-26-A7', want: 'D2F3041526A7' },
    { tag_type: 'ble', id: 'd2f3041526a7', want: 'D2F3041526A7' },
    { tag_type: 'barcode', id: ' Lot-00042 a \r\n', want: 'Lot-00042 a' },
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
    expect(bare.health).toEqual([]) // no config_gap: the installer chose the fields
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
    { time_format: 'epoch', t: CURRENT_MS / 1000 },
    { time_format: 'epoch', t: CURRENT_MS },
    { time_format: 'epoch', t: ` ${CURRENT_MS * 1000} ` },
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
    const two = [{ id: 'ABCD' }, { id: 'EF01' }].map(({ id }) => ({ id, t: '2026-03-01 18:00:04' }))
    const once = read({ list: two, tz: 'Mars' }, { time: '/t', ...local }, 'Asia/Singapore')
    expect(errorsOf(once)).toEqual(['invalid_field /tz'])
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

describe('pointers beyond the item (D16.4)', () => {
  const AT = { time: '^/sent', time_format: 'epoch_ms' }

  test('`^` starts at the envelope, for every item', () => {
    const mapping = { ...AT, antenna: '^/port', location: '^/at/0' }
    const decoded = read(
      { sent: CURRENT_MS, port: 2, at: ['DOCK'], list: [{ id: 'ABCD' }, { id: 'EF01' }] },
      mapping,
    )
    const want = { antenna: 2, read_at_ms: CURRENT_MS, extra: { location: 'DOCK' } }
    expect(decoded.reads).toMatchObject([want, want])
    expect(decoded.errors).toEqual([])
  })

  test('`^` is the root of the frame, also if that is a list, and of each frame', () => {
    const rows = [{ gw: 'plc-4', port: 3 }, { id: 'ABCD' }]
    const mapping = { reads: '/1', antenna: '^/0/port', identity: '^/0/gw' }
    expect(read(rows, mapping)).toMatchObject({ identity: 'plc-4', reads: [{ antenna: 3 }] })
    const glued = read('{"p":2,"list":{"id":"ABCD"}}{"p":4,"list":{"id":"ABCD"}}', { antenna: '^/p' })
    expect(glued.reads).toMatchObject([{ antenna: 2 }, { antenna: 4 }])
  })

  test('`$topic` is a level of the topic after the format', () => {
    const mapping = ReaderMapping.parse({ reads: '', tag: '$topic/2', tag_type: 'ble', antenna: '$topic/1' })
    const topic = ['7', 'c8:25:2d:8e:9c:2c']
    expect(decode('mapping', {}, { topic, mapping })).toMatchObject({
      reads: [{ antenna: 7, tag_value: 'C8252D8E9C2C' }],
      errors: [],
    })
    expect(errorsOf(decode('mapping', {}, { topic: ['x', 'y'], mapping }))).toEqual(['invalid_tag /$topic/2'])
    expect(errorsOf(decode('mapping', {}, { mapping }))).toEqual(['missing_tag '])
    expect(errorsOf(decode('mapping', {}, { topic: [], mapping: { ...mapping, tag: '^' } }))).toEqual([
      'invalid_tag ',
    ])
  })

  test('`*` is every element of an array or object, `$key` the name of the innermost member', () => {
    const rooms = { a: { tags: { ABCD: { r: -61 }, EF01: { r: -62 } } }, b: { tags: {} }, c: { tags: null } }
    const mapping = { reads: '/list/*/tags/*', tag: '$key', rssi: '/r' }
    expect(read({ list: rooms }, mapping)).toMatchObject({
      reads: [
        { tag_value: 'ABCD', rssi_dbm: -61 },
        { tag_value: 'EF01', rssi_dbm: -62 },
      ],
      errors: [],
    })
    expect(values({ list: { ABCD: [1, 2], EF01: [3] } }, { reads: '/list/*', tag: '$key' })).toEqual([
      'ABCD',
      'EF01',
    ])
    expect(values({ list: { ABCD: [1, 2], EF01: [3] } }, { reads: '/list/*/*', tag: '$key' })).toEqual([
      'ABCD',
      'ABCD',
      'EF01',
    ])
    expect(errorsOf(read({ list: [1] }, { reads: '/list/*', tag: '$key' }))).toEqual([
      'unexpected_shape /list/0',
    ])
  })

  test('an element without the rest of the pointer is reported where it is', () => {
    const decoded = read({ list: [{ tags: [{ id: 'ABCD' }] }, {}, { tags: 7 }] }, { reads: '/list/*/tags/*' })
    expect(decoded.reads).toHaveLength(1)
    expect(errorsOf(decoded)).toEqual(['unexpected_shape /list/1', 'unexpected_shape /list/2'])
    expect(read({ list: 7 }, { reads: '/list/*' })).toMatchObject({ isDeadLetter: true })
  })

  test('names of the message are bounded and storable in the pointer of an error', () => {
    const decoded = read({ list: { ['a/~\0\ud800' + 'x'.repeat(500)]: {} } }, { reads: '/list/*' })
    expect(errorsOf(decoded)).toEqual([`missing_tag /list/a~1~0\ufffd\ufffd${'x'.repeat(59)}`])
  })

  test('a name such as __proto__ is a name like any other', () => {
    const decoded = read('{"list":{"__proto__":{"id":"ABCD"}}}', { reads: '/list/*' })
    expect(decoded.reads).toMatchObject([{ tag_value: 'ABCD' }])
  })
})

describe('a pointer that leads nowhere (D16.4)', () => {
  const mapping = { antenna: '/a', rssi: '/r', identity: '/name', time: '^/t', time_format: 'epoch' }

  test('is reported once a message, at the first read that lacks it, and the read is kept', () => {
    const list = [{ id: 'ABCD', a: 1, r: -61 }, { id: 'EF01', a: 2 }, { id: 'EF02' }]
    const decoded = read({ list }, mapping)
    expect(decoded.reads).toMatchObject([{ antenna: 1 }, { antenna: 2, rssi_dbm: null }, { antenna: 1 }])
    expect(errorsOf(decoded)).toEqual([
      'missing_field /t',
      'missing_field /list/1/r',
      'missing_field /list/2/a',
      'missing_field /name',
    ])
  })

  test('is not one that leads to null or to blank text', () => {
    const decoded = read({ t: null, name: '', list: { id: 'ABCD', a: ' ', r: null } }, mapping)
    expect(decoded.errors).toEqual([])
  })

  test('is not looked for in an item that gives no read', () => {
    expect(errorsOf(read({ t: 0, name: 'x', list: [{}, { id: 'x' }] }, mapping))).toEqual([
      'missing_tag /list/0',
      'invalid_tag /list/1/id',
    ])
  })
})

describe('several kinds of tags in a message: `also`', () => {
  const ble = { reads: '/list', tag: '/mac', tag_type: 'ble' } as const
  const barcode = { reads: '/codes/*', tag: '', tag_type: 'barcode' } as const
  const tags = (...given: Parameters<typeof read>) =>
    read(...given).reads.map((one) => `${one.tag_type} ${one.tag_value}`)

  test('every part reads its kind, from the same items or from others', () => {
    const message = {
      list: [{ id: 'ABCD' }, { mac: 'd2f3041526a7' }, { id: 'EF01', mac: 'D2F3041526A8' }],
      codes: ['Lot 7'],
    }
    const mapping = { also: [ble, barcode] }
    expect(tags(message, mapping)).toEqual([
      'rfid ABCD',
      'ble D2F3041526A7',
      'rfid EF01',
      'ble D2F3041526A8',
      'barcode Lot 7',
    ])
    expect(read(message, mapping).errors).toEqual([])
  })

  test('an item that no part takes is reported once', () => {
    expect(errorsOf(read({ list: [{}, 7] }, { also: [ble] }))).toEqual([
      'missing_tag /list/0',
      'unexpected_shape /list/1',
    ])
  })

  test('a list that is not there is named, and a message without any of the lists is a dead letter', () => {
    const decoded = read({ list: [{ id: 'ABCD' }] }, { also: [barcode] })
    expect(decoded.reads).toHaveLength(1)
    expect(errorsOf(decoded)).toEqual(['missing_field /codes/*'])
    expect(read({}, { also: [barcode] })).toMatchObject({ isDeadLetter: true })
  })

  test('the value of an event is unknown only if no part names it', () => {
    const mapping = {
      event: '/ev', read_events: ['TAG'],
      also: [{ ...ble, event: '/ev', read_events: ['BEACON'], heartbeat_events: ['TICK'] }],
    } // oxfmt-ignore
    const list = ['TAG', 'BEACON', 'TICK', 'OTHER'].map((ev) => ({ ev, id: 'ABCD', mac: 'D2F3041526A7' }))
    const decoded = read({ list }, mapping)
    expect(decoded.reads.map((one) => one.tag_type)).toEqual(['rfid', 'ble'])
    expect(decoded.health).toMatchObject([{ kind: 'heartbeat' }])
    expect(errorsOf(decoded)).toEqual(['unknown_event /list/3'])
    const elsewhere = { ...mapping, also: [{ ...barcode, event: '^/ev', read_events: ['CODE'] }] }
    const named = read({ ev: 'CODE', list: [{ ev: 'CODE' }, { ev: 'OTHER' }], codes: ['7'] }, elsewhere)
    expect(named.reads).toMatchObject([{ tag_value: '7' }])
    expect(errorsOf(named)).toEqual(['unknown_event /list/1'])
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
  const guide = readFileSync(new URL('../../../../../docs/readers/keonn.md', import.meta.url), 'utf8')
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

import { readerFormats } from '@whereabouts/contracts/resources/tracking/readers'
import type { FieldEntry } from '@whereabouts/contracts/errors'
import { describe, expect, inject } from 'vitest'
import { fixtureBytes, fixturesOf } from '../system/fixtures.ts'
import { connectReader } from '../system/readers.ts'
import { unique } from './scenarios/scenario.ts'
import type { Api } from './support/api.ts'
import { entry, enumEntry, nullEntry, required, tooLong, typeEntry } from './support/entries.ts'
import { test } from './support/fixtures.ts'
import { succeed, type Organization } from './support/organization.ts'

const MAPPING = { reads: '/list', tag: '/id', tag_type: 'rfid' }

const mappingReader = (mapping: object) => ({
  reader_key: unique('r'),
  name: 'Gate',
  format: 'mapping',
  mapping,
})

async function create(api: Api, org: Organization, mapping: object = MAPPING) {
  const call = { token: org.admin, body: mappingReader(mapping) }
  return (await succeed(api.call('createReader', call))).body.data
}

describe('D10 the settings of a reader', () => {
  test('D10 are null by default', async ({ api, org }) => {
    const body = { reader_key: unique('r'), name: 'Gate', format: 'zebra' }
    const { data } = (await api.call('createReader', { token: org.admin, body })).body
    expect(data).toMatchObject({ timezone: null, mapping: null })
  })

  test('D10 are returned as sent, and change separately', async ({ api, org }) => {
    const full = {
      ...MAPPING,
      tag_format: 'base64url',
      identity: '/name',
      antenna: '/a~1b',
      location: '/l',
      count: '/n',
      rssi: '/r/0',
      rssi_unit: 'dBm/10',
      time: '',
      time_format: 'local',
      zone: '/tz',
      event: '/ev',
      read_events: ['READ', 1, false],
      heartbeat_events: ['TICK', true],
      also: [
        {
          reads: '^/a/*/b',
          tag: '$key',
          tag_type: 'ble',
          antenna: '$topic/1',
          time: '^/at',
          time_format: 'epoch',
        },
      ],
    }
    const reader = await create(api, org, full)
    expect(reader).toMatchObject({ timezone: null, mapping: full })
    const call = { token: org.admin, params: { reader_id: reader.id ?? 0 } }
    const zoned = (await api.call('updateReader', { ...call, body: { timezone: 'Europe/Berlin' } })).body.data
    expect(zoned).toEqual({ ...reader, timezone: 'Europe/Berlin' })
    for (const beacon of [
      '/id',
      { uuid: '/u', major: '/a', minor: '/i', number_format: 'hex' },
      { manufacturer_data: '/d' },
    ]) {
      const mapping = { reads: '', beacon }
      expect((await api.call('updateReader', { ...call, body: { mapping } })).body.data.mapping).toEqual(
        mapping,
      )
    }
    const other = (await api.call('updateReader', { ...call, body: { mapping: MAPPING } })).body.data
    expect(other.mapping).toEqual(MAPPING)
    const headers = { 'content-type': 'application/merge-patch+json' }
    const body = { timezone: null, format: 'canonical', mapping: null }
    const cleared = (await api.call('updateReader', { ...call, headers, body })).body.data
    expect(cleared).toEqual({ ...reader, ...body })
  })

  test('D10 the key of a reader cannot be changed', async ({ api, org }) => {
    const call = { token: org.admin, params: { reader_id: (await create(api, org)).id ?? 0 } }
    const { error } = (await api.call('updateReader', { ...call, body: { reader_key: 'other' } })).body
    expect(error.fields).toEqual([entry('reader_key', 'unknown_field', 'unknown field "reader_key"')])
  })
})

const pointer = (field: string) =>
  entry(
    field,
    'invalid_value',
    `${field} must be a JSON pointer such as /epc, a pointer from the envelope such as ^/time, $topic/1, or $key`,
  )
const readsPointer = (field: string) =>
  entry(
    field,
    'invalid_value',
    `${field} must be a JSON pointer such as /tags or /data/*/tags, with at most 3 *`,
  )
const tagFormat = (...allowed: string[]) => enumEntry('mapping.tag_format', allowed)
const eventValue = (field: string) =>
  entry(field, 'invalid_value', `${field} must be true, false, a number, or text of at most 255 characters`)
const needs = (name: string) => required(`mapping.${name}`)

describe('D3 problems of a mapping are reported by field', () => {
  const cases: [mapping: unknown, ...fields: FieldEntry[]][] = [
    [undefined, required('mapping')],
    [null, required('mapping')],
    [[], typeEntry('mapping', 'object', 'array')],
    [{}, needs('reads'), needs('tag'), needs('tag_type')],
    [{ ...MAPPING, colour: '/c' }, entry('mapping.colour', 'unknown_field', 'unknown field "mapping.colour"')],
    [{ ...MAPPING, tag: 'id' }, pointer('mapping.tag')],
    [{ ...MAPPING, tag: '/id~2' }, pointer('mapping.tag')],
    [{ ...MAPPING, tag: '^id' }, pointer('mapping.tag')],
    [{ ...MAPPING, tag: '$topic/0' }, pointer('mapping.tag')],
    [{ ...MAPPING, tag: '$topic/10' }, pointer('mapping.tag')],
    [{ ...MAPPING, tag: '$topic' }, pointer('mapping.tag')],
    [{ ...MAPPING, tag: '$key/1' }, pointer('mapping.tag')],
    [{ reads: '', tag: '/id', beacon: '/id' }, needs('tag_type')],
    [{ reads: '', beacon: '/id', tag_type: 'rfid' }, needs('tag')],
    [{ reads: '', beacon: '/id', tag_format: 'mac' }, needs('tag')],
    [{ reads: '', beacon: 'id' }, pointer('mapping.beacon')],
    [{ reads: '', beacon: 7 }, typeEntry('mapping.beacon', 'string', 'number')],
    [{ reads: '', beacon: {} }, needs('beacon.uuid'), needs('beacon.major'), needs('beacon.minor')],
    [{ reads: '', beacon: { uuid: '/u', major: 'm', number_format: 'octal' } }, pointer('mapping.beacon.major'), enumEntry('mapping.beacon.number_format', ['decimal', 'hex']), needs('beacon.minor')],
    [{ reads: '', beacon: { manufacturer_data: '/d', uuid: '/u' } }, entry('mapping.beacon.uuid', 'ambiguous_fields', 'mapping.beacon.uuid cannot be used together with manufacturer_data')],
    [{ reads: '', beacon: { data: '/d' } }, entry('mapping.beacon.data', 'unknown_field', 'unknown field "mapping.beacon.data"'), needs('beacon.uuid'), needs('beacon.major'), needs('beacon.minor')],
    [{ ...MAPPING, also: [{ reads: '', beacon: { uuid: '/u' } }] }, needs('also[0].beacon.major'), needs('also[0].beacon.minor')],
    [{ ...MAPPING, reads: '$key' }, readsPointer('mapping.reads')],
    [{ ...MAPPING, reads: '/*/*/*/*' }, readsPointer('mapping.reads')],
    [{ ...MAPPING, also: Array.from({ length: 5 }, () => MAPPING) }, entry('mapping.also', 'too_long', 'mapping.also must contain at most 4 items', { max_length: 4 })],
    [{ ...MAPPING, also: [{ ...MAPPING, identity: '/x', tag: 'x', time: '/t' }] }, entry('mapping.also[0].identity', 'unknown_field', 'unknown field "mapping.also[0].identity"'), pointer('mapping.also[0].tag'), needs('also[0].time_format')],
    [{ ...MAPPING, reads: 7 }, typeEntry('mapping.reads', 'string', 'number')],
    [{ ...MAPPING, rssi: null }, nullEntry('mapping.rssi', 'string')],
    [{ ...MAPPING, tag: '/x'.repeat(128) }, tooLong('mapping.tag', 255)],
    [{ ...MAPPING, tag: '/a\0' }, entry('mapping.tag', 'invalid_value', 'mapping.tag must not contain control characters')],
    [{ ...MAPPING, tag_type: 'nfc' }, enumEntry('mapping.tag_type', ['rfid', 'ble', 'barcode'])],
    [{ ...MAPPING, tag_format: 'mac' }, tagFormat('hex', 'base64url')],
    [{ ...MAPPING, tag_type: 'ble', tag_format: 'hex' }, tagFormat('mac')],
    [{ ...MAPPING, tag_type: 'barcode', tag_format: 'hex' }, tagFormat('text')],
    [{ ...MAPPING, tag_format: 'x' }, tagFormat('hex', 'base64url', 'mac', 'text')],
    [{ ...MAPPING, rssi_unit: 'dBm' }, needs('rssi')],
    [{ ...MAPPING, rssi: '/r', rssi_unit: 'mW' }, enumEntry('mapping.rssi_unit', ['dBm', 'dBm/10', 'dBm/100'])],
    [{ ...MAPPING, time: '/t' }, needs('time_format')],
    [{ ...MAPPING, time_format: 'iso' }, needs('time')],
    [{ ...MAPPING, zone: '/z' }, needs('time')],
    [{ ...MAPPING, event: '/ev' }, needs('read_events')],
    [{ ...MAPPING, heartbeat_events: [true] }, needs('event')],
    [{ ...MAPPING, event: '/ev', read_events: [] }, entry('mapping.read_events', 'too_short', 'mapping.read_events must contain at least 1 item', { min_length: 1 })],
    [{ ...MAPPING, event: '/ev', read_events: Array(51).fill(1) }, entry('mapping.read_events', 'too_long', 'mapping.read_events must contain at most 50 items', { max_length: 50 })],
    [{ ...MAPPING, event: '/ev', read_events: Array(26).fill(1), also: [{ ...MAPPING, event: '/ev', read_events: [1], heartbeat_events: Array(24).fill(2) }] }, entry('mapping', 'too_long', 'mapping must have at most 50 events in all parts together', { max_length: 50 })],
    [{ ...MAPPING, event: '/ev', read_events: Array.from({ length: 22 }, () => '\u3042'.repeat(255)) }, entry('mapping', 'too_long', 'mapping must have at most 16384 bytes as JSON', { max_length: 16_384 })],
    [{ ...MAPPING, event: '/ev', read_events: ['a\0', null, {}, 'x'.repeat(256)] }, eventValue('mapping.read_events[0]'), eventValue('mapping.read_events[1]'), eventValue('mapping.read_events[2]'), eventValue('mapping.read_events[3]')],
    [{ ...MAPPING, event: '/ev', read_events: [1, true], heartbeat_events: [true] }, entry('mapping.heartbeat_events', 'invalid_value', 'mapping.heartbeat_events must not repeat a value of read_events')],
  ] // oxfmt-ignore
  const named = cases.map(([mapping, ...fields]) => ({
    mapping,
    fields,
    name: `${JSON.stringify(mapping)?.slice(0, 100)}: ${fields.map((f) => `${f.field} ${f.code}`).join(', ')}`,
  }))
  test.for(named)('D3 $name', async ({ mapping, fields }, { api, org }) => {
    const body = { reader_key: unique('r'), name: 'Gate', format: 'mapping', mapping }
    const { error } = (await api.call('createReader', { token: org.admin, body })).body
    expect(error.fields).toEqual(fields)
  })

  test.for(['', 'Mars/Olympus', '+25:00', 'Europe/Berlin '])(
    'D3 %j is not a time zone',
    async (timezone, { api, org }) => {
      const body = { ...mappingReader(MAPPING), timezone }
      const { error } = (await api.call('createReader', { token: org.admin, body })).body
      expect(error.fields).toMatchObject([
        { field: 'timezone', code: timezone === '' ? 'too_short' : 'invalid_value' },
      ])
    },
  )

  test('D3.2 together with problems of the reader', async ({ api, org }) => {
    const body = { reader_key: 'a b', name: '', format: 'mapping', mapping: { tag: 'x' } }
    const { error } = (await api.call('createReader', { token: org.admin, body })).body
    expect(error.fields?.map(({ field, code }) => `${field} ${code}`)).toEqual([
      'reader_key invalid_value',
      'name too_short',
      'mapping.reads required',
      'mapping.tag invalid_value',
      'mapping.tag_type required',
    ])
  })
})

describe('every format, over the broker', () => {
  test.for(readerFormats)(
    'D8.8 messages of a %s device are read, and broken ones are counted',
    async (format, { api, newOrg }) => {
      const org = await newOrg()
      const key = await org.key({ scopes: ['scans:write'] })
      const link = await connectReader({ urls: inject('urls') }, key, 'nats')
      // One reader for each fixture, because their settings differ.
      const sent = fixturesOf(format).map((fixture, index) => ({
        fixture,
        reader_key: `reader-${100 + index}`,
      }))
      for (const { fixture, reader_key } of sent) {
        const { timezone, topic = [], mapping } = fixture.context
        const body = { reader_key, name: fixture.file, format, timezone, mapping }
        await succeed(api.call('createReader', { token: org.admin, body }))
        await link.publish(org.id, reader_key, [format, ...topic].join('.'), fixtureBytes(fixture.file))
      }
      await link.close()
      const seen = async () => {
        const { data } = (await api.call('listReaders', { token: org.admin })).body
        return data.map(({ health: { messages, messages_buried, reads, read_errors } }) => ({ messages, messages_buried, reads, read_errors })) // oxfmt-ignore
      }
      const expected = sent.map(({ fixture: { is_dead_letter, reads, errors } }) => ({
        messages: 1,
        messages_buried: is_dead_letter ? 1 : 0,
        reads: reads.length,
        read_errors: is_dead_letter ? 0 : errors.length,
      }))
      await expect.poll(seen, { timeout: 15_000, interval: 200 }).toEqual(expected)
    },
  )

  test('D16.4 a pointer that leads nowhere is named in the health, and the read is stored', async ({
    api,
    newOrg,
  }) => {
    const org = await newOrg()
    const key = await org.key({ scopes: ['scans:write'] })
    const mapping = {
      reads: '/tags/*',
      tag: '$key',
      tag_type: 'ble',
      antenna: '$topic/1',
      time: '^/at',
      time_format: 'epoch',
    }
    const body = { ...mappingReader(mapping), reader_key: 'gateway-1' }
    await succeed(api.call('createReader', { token: org.admin, body }))
    const link = await connectReader({ urls: inject('urls') }, key, 'mqtt')
    const message = Buffer.from(JSON.stringify({ tags: { 'c8:25:2d:00:9c:01': {} } }))
    await link.publish(org.id, 'gateway-1', 'mapping/2', message)
    await link.close()
    const health = async () => (await api.call('listReaders', { token: org.admin })).body.data[0]?.health
    await expect
      .poll(health, { timeout: 15_000 })
      .toMatchObject({ messages: 1, reads: 1, read_errors: 1, last_problem: 'missing_field at /at' })
  })

  test('a mapping that is set after the first messages applies from then on', async ({ api, newOrg }) => {
    const org = await newOrg()
    const key = await org.key({ scopes: ['scans:write'] })
    const link = await connectReader({ urls: inject('urls') }, key, 'mqtt')
    const publish = () => link.publish(org.id, 'plc-4', 'mapping', Buffer.from('{"list":[{"id":"ABCD"}]}'))
    const health = async () => (await api.call('listReaders', { token: org.admin })).body.data[0]?.health
    await publish()
    const problem = 'this reader has no mapping; set one, or publish in another format'
    await expect
      .poll(health, { timeout: 15_000 })
      .toMatchObject({ messages_buried: 1, last_problem: problem })
    const body = { ...mappingReader(MAPPING), reader_key: 'plc-4' }
    await succeed(api.call('createReader', { token: org.admin, body }))
    await publish()
    await expect
      .poll(health, { timeout: 15_000 })
      .toMatchObject({ messages: 2, messages_buried: 1, reads: 1 })
    await link.close()
  })
})

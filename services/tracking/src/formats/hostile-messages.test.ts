import type { ReaderMapping } from '@whereabouts/contracts/resources/tracking/reader-mapping'
import { readerFormats } from '@whereabouts/contracts/resources/tracking/readers'
import { longestSliceMs, MAX_SLICE_MS } from '@whereabouts/testing/longest-slice'
import { describe, expect, test } from 'vitest'
import { RECEIVED_AT_MS } from '../../test/formats/format-testing.ts'
import { decoderFor } from './formats.ts'
import { MAX_MESSAGE_BYTES } from '@whereabouts/contracts/resources/tracking/scans'

type Format = (typeof readerFormats)[number]

const fill = (unit: string) => unit.repeat(Math.floor(MAX_MESSAGE_BYTES / unit.length))
const listIn = (open: string, item: string, close: string) => {
  const items = Math.floor((MAX_MESSAGE_BYTES - open.length - close.length) / (item.length + 1))
  return `${open}${Array.from({ length: items }, (_, i) => item.replaceAll('@', String(i % 10))).join()}${close}`
}
/** A day later in each item, so that no cached offset helps. */
const dayByDay = (open: string, item: (time: string) => string, close: string) => {
  const day = (i: number) => new Date(Date.UTC(1980, 0, 1 + 3 * i)).toISOString().slice(0, 10)
  const items = Math.floor((MAX_MESSAGE_BYTES - open.length - close.length) / (item(day(0)).length + 10))
  return `${open}${Array.from({ length: items }, (_, i) => item(`${day(i)} 02:30:00`)).join()}${close}`
}

const half = MAX_MESSAGE_BYTES / 2
const names = Array.from({ length: 20_000 }, (_, i) => `"k${i}":1`).join()

/** For every format: the worst JSON, near-JSON and non-JSON. */
const anyFormat = ['[', '{"data":', '"', '\\', '{}', '{}\n', '{\n', '1 ', '1\n', '[]', '""', '[1]{} ', '{"a":1}{', '\0', '\n', '-'].map((unit) => [`${JSON.stringify(unit)} repeated`, fill(unit)] as const) // oxfmt-ignore

const whole: (readonly [string, string])[] = [
  ['a list of numbers', listIn('[', '0', ']')],
  ['a list of empty items', listIn('[', '{}', ']')],
  ['many names', `{${names}}`],
  [
    'objects in objects',
    `{${Array.from({ length: 500 }, (_, i) => `"a${i}":{"b":{${names.slice(0, 450)}"c":{}}}`).join()}}`,
  ],
  ['one long name above many elements', `{"${'n'.repeat(half)}":[${'{},'.repeat(half / 4)}{}]}`],
  ['members named __proto__', `{${Array.from({ length: 10_000 }, () => '"__proto__":{"t":"1"}').join()}}`],
  ['deep nesting', '['.repeat(half) + ']'.repeat(half)],
  ['glued to deep nesting', `{}${'['.repeat(half - 1)}${']'.repeat(half - 1)}`],
  ['one number', `[${'9'.repeat(MAX_MESSAGE_BYTES - 2)}]`],
  ['numbers beyond any', listIn('[', '1e999', ']')],
]

const wall = (time: string) => `"time":"${time}"`
const own: Record<Format, (readonly [string, string])[]> = {
  canonical: [
    ['reads', listIn('{"reads":[', '{"tag":{"type":"rfid","value":"ABCD"}}', ']}')],
    ['junk', listIn('{"reads":[', '0', ']}')],
  ],
  impinj: [
    ['reads', listIn('[', '{"tagInventoryEvent":{"epcHex":"ABC@"}}', ']')],
    ['base64', listIn('[', '{"tagInventoryEvent":{"epc":"q83v"}}', ']')],
    ['times', dayByDay('[', (t) => `{"tagInventoryEvent":{"epc":"q83v","lastSeenTime":"${t}"}}`, ']')],
    ['SmartReader', listIn('{"tag_reads":[', '{"epc":"ABC@"}', ']}')],
    ['heartbeats', listIn('{"tag_reads":[', '{"isHeartBeat":true}', ']}')],
    ['overflows', dayByDay('[', (t) => `{"overflowEvent":{"firstEventTimestamp":"${t}"}}`, ']')],
    ['members that end like events', `{${names.replaceAll('":', 'Event":')}}`],
  ],
  zebra: [
    ['reads', listIn('[', '{"data":{"idHex":"ABC@"}}', ']')],
    ['memory that cannot be used', listIn('[', '{"data":{"idHex":"ABCD","PC":"x","CRC":"x","XPC":"x","EPC":"x"}}', ']')],
    ['adverts', dayByDay('[', (t) => `{"data":{"Address":"AC233FA0B0C1"},"timestamp":"${t}"}`, ']')],
    ['sled reads', listIn('{"data":{"tagData":[', '{"EPC":"ABC@"}', ']}}')],
    ['barcodes', listIn('{"data":{"barcodeData":[', '{"decodedBarcode":"@"}', ']}}')],
  ],
  csl: [
    ['reads', listIn('{"tags":[', '{"epc":"ABC@"}', ']}')],
    ['wall times', dayByDay('{"tags":[', (t) => `{"epc":"ABCD","timeOfRead":"${t}"}`, ']}')],
    ['zones', dayByDay('{"tags":[', (t) => `{"epc":"ABCD","timeOfRead":"${t}","timeZone":"Asia/Tokyo"}`, ']}')],
    ['unknown zones', listIn('{"tags":[', '{"epc":"ABCD","timeOfRead":"2026-03-01 10:00:00","timeZone":"Z@"}', ']}')],
    ['unusable fields', listIn('{"tags":[', '{"epc":"ABCD","antennaPort":-1,"rssi":"x","timeOfRead":"x"}', ']}')],
  ],
  moko: [
    ['reads', listIn('{"msg_id":3070,"data":[', '{"mac":"AC233FA0B0C@"}', ']}')],
    ['times', dayByDay('{"msg_id":3070,"data":[', (t) => `{"mac":"AC233FA0B0C1","timestamp":"${t}"}`, ']}')],
  ],
  minew: [
    ['reads', listIn('[', '{"mac":"AC233FA0B0C@"}', ']')],
    ['adverts', listIn('[', '{"mac":"AC233FA0B0C1","rawData":"0201061AFF4C000215AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA00010002C5"}', ']')],
    ['one long advert', `[{"mac":"AC233FA0B0C1","rawData":"${'01FF'.repeat(65_000)}"}]`],
    ['an advert of padding', `[{"mac":"AC233FA0B0C1","rawData":"${'00'.repeat(131_000)}"}]`],
    ['a blank address', `[{"mac":"${' '.repeat(262_000)}"}]`],
    ['gateways', listIn('[', '{"type":"Gateway"}', ']')],
    ['times', dayByDay('[', (t) => `{"mac":"AC233FA0B0C1","timestamp":"${t}"}`, ']')],
  ],
  'gl-s10': [
    ['reads', listIn('{"dev_list":[', '{"mac":"AC233FA0B0C@","ad":"02"}', ']}')],
    ['glued adverts', fill('{"mac":"AC233FA0B0C1"}')],
  ],
  kkm: [
    ['reads', listIn('{"pkt_type":"scan_report","data":{"dev_infos":[', '{"addr":"AC233FA0B0C@"}', ']}}')],
    ['times', dayByDay('{"pkt_type":"scan_report","data":{"dev_infos":[', (t) => `{"addr":"AC233FA0B0C1",${wall(t)}}`, ']}}')],
    ['states', fill('{"pkt_type":"state","data":{"state":"sta_gw_hb"},"time":"2026-03-01 10:00:00"}')],
  ],
  mapping: [
    ['items', listIn('[', '{"t":"@"}', ']')],
    ['texts', listIn('[', '"@"', ']')],
    ['times', dayByDay('[', (t) => `{"t":"1","x":"${t}","z":"Asia/Tokyo"}`, ']')],
    ['events', listIn('[', '{"t":"1","e":"q"}', ']')],
  ],
} // oxfmt-ignore

/** One with all pointers at one place, and one with all pointers there are. */
const events = Array.from({ length: 20 }, (_, i) => `e${i}`)
const mappings: ReaderMapping[] = [
  { reads: '', tag: '', tag_type: 'barcode', antenna: '', location: '', rssi: '', time: '', time_format: 'local', zone: '' },
  { reads: '', tag: '/t', tag_type: 'barcode', time: '/x', time_format: 'local', zone: '/z' },
  { reads: '', tag: '/t', tag_type: 'barcode', event: '/e', read_events: events, heartbeat_events: events },
  { reads: '/*/*/*', tag: '$key', tag_type: 'barcode', rssi: '^', antenna: '$topic/1', location: '$key' },
  { reads: '/*', tag: '$key', tag_type: 'barcode', time: '/x', time_format: 'local', zone: '^/0/z', also: [
    { reads: '', tag: '$key', tag_type: 'ble' }, { reads: '/*/*', tag: '', tag_type: 'rfid' },
    { reads: '/*', tag: '/t', tag_type: 'barcode' }, { reads: '/data/*', tag: '', tag_type: 'barcode', rssi: '^' },
  ] },
] // oxfmt-ignore

describe.for(readerFormats)('%s: no message delays others', (format) => {
  const decode = decoderFor(format)
  test.for([...anyFormat, ...whole, ...own[format]])('256 KiB of %s', async ([, text]) => {
    const bytes = Buffer.from(text).subarray(0, MAX_MESSAGE_BYTES)
    for (const mapping of format === 'mapping' ? mappings : [undefined]) {
      const context = { reader: 'r1', received_at_ms: RECEIVED_AT_MS, timezone: 'Europe/Berlin', mapping }
      const longest = await longestSliceMs(() => decode?.(bytes, context), MAX_SLICE_MS)
      expect(longest).toBeLessThan(MAX_SLICE_MS)
    }
  })
})

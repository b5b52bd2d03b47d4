import { expect, test } from 'vitest'
import { CURRENT, decode, errorsOf } from '../../../test/formats/format-testing.ts'

const CURRENT_MS = Date.parse(CURRENT)
const WALL = '2026/03/01 10:00:04.000' // shown by a clock in UTC

const tag = (members: object, message: object = {}, timezone?: string) =>
  decode('csl', { ...message, tags: [{ epc: 'ABCD', antennaPort: 1, ...members }] }, { timezone })

test('a zone next to an epoch is ignored, even an invalid one', () => {
  for (const timeZone of ['-6:00', 'nowhere', 7]) {
    const decoded = tag({ timeStampOfRead: CURRENT_MS * 1000 + 999, timeZone })
    expect(decoded).toMatchObject({ reads: [{ read_at_ms: CURRENT_MS }], errors: [], health: [] })
  }
})

test('wall time is in the zone of the tag, or else of the message, or else of the reader', () => {
  const readAt = (...given: Parameters<typeof tag>) => tag(...given).reads[0]?.read_at_ms
  expect(readAt({ timeOfRead: WALL, timeZone: 'UTC' }, { timeZone: '+8:00' }, '+01')).toBe(CURRENT_MS)
  expect(readAt({ timeOfRead: WALL }, { timeZone: '+8:00' }, '+01')).toBe(CURRENT_MS - 8 * 3_600_000)
  expect(readAt({ timeOfRead: WALL }, {}, '+01')).toBe(CURRENT_MS - 3_600_000)
  expect(readAt({ timeOfRead: WALL, timeZone: 'Asia/Singapore' })).toBe(CURRENT_MS - 8 * 3_600_000)
  expect(readAt({ timeOfRead: WALL })).toBeNull()
})

test('a zone alone is neither a time nor an error', () => {
  expect(tag({ timeZone: 'nowhere' })).toMatchObject({ reads: [{ read_at_ms: null }], errors: [] })
})

test('an invalid zone is reported, and the next one is used', () => {
  const decoded = tag({ timeOfRead: WALL, timeZone: 'Mars/Olympus' }, { timeZone: '-3:30' })
  expect(decoded.reads).toMatchObject([{ read_at_ms: CURRENT_MS + 3.5 * 3_600_000 }])
  expect(errorsOf(decoded)).toEqual(['invalid_field /tags/0/timeZone'])
})

test('a wall time wins over an uptime, which means that the clock is not set', () => {
  const decoded = tag({ timeStampOfRead: 77_000_000, timeOfRead: WALL, timeZone: 'Z' })
  expect(decoded).toMatchObject({ reads: [{ read_at_ms: CURRENT_MS }], health: [{ kind: 'clock_unset' }] })
})

test('the Ethernet address wins over the WiFi address, and any address over the name', () => {
  const identity = (message: object) => decode('csl', { tags: [], ...message }).identity
  const names = { rfidReaderName: 'gate', pcWiFiMACAddress: '00:05:7b:87:a0:02' }
  expect(identity({ ...names, pcEthernetMACAddress: '00057b87a001' })).toBe('00057B87A001')
  expect(identity({ ...names, pcEthernetMACAddress: '' })).toBe('00057B87A002')
  expect(identity({ ...names, pcWiFiMACAddress: '' })).toBe('gate')
})

test('an array is read item by item, and only bad items are dropped', () => {
  const decoded = decode('csl', [
    { tags: [7, { epc: 'ABCD', antennaPort: '2' }, { epc: 'xyz' }] },
    { tags: {} },
    null,
    { tags: [{ epc: 'EF01', antennaPort: 1 }] },
  ])
  expect(decoded.reads.map((read) => read.tag_value)).toEqual(['ABCD', 'EF01'])
  expect(errorsOf(decoded)).toEqual([
    'unexpected_shape /0/tags/0',
    'invalid_tag /0/tags/2/epc',
    'unexpected_shape /1',
    'unexpected_shape /2',
  ])
  expect(decoded.isDeadLetter).toBe(false)
})

test('the capture point names the antenna, and a read without antenna reports the missing setting', () => {
  const decoded = tag({ antennaPort: undefined, capturePointName: 'Dock 1' })
  expect(decoded).toMatchObject({
    reads: [{ antenna: 1, extra: { antenna_name: 'Dock 1' } }],
    health: [{ kind: 'config_gap', detail: { missing: 'antenna', reads: 1 } }],
  })
})

test('a message may name only a few zones, because each costs time', () => {
  const tags = Array.from({ length: 20 }, (_, i) => ({
    epc: 'ABCD',
    antennaPort: 1,
    timeOfRead: WALL,
    timeZone: `+0${Math.floor(i / 4)}:${String((i % 4) * 15).padStart(2, '0')}`,
  }))
  const decoded = decode('csl', { tags })
  expect(decoded.reads.filter((read) => read.read_at_ms !== null)).toHaveLength(16)
  expect(errorsOf(decoded)).toContain('invalid_field /tags/16/timeZone')
})

import { expect, test } from 'vitest'
import type { Sighting } from './sightings.ts'
import { sourceText, waitingText, whyText, type Part } from './why-text.ts'

const INSPECTION = { id: 1, external_key: 'INSPECTION', name: 'Goods inspection' }
const DOCK_2 = { id: 2, external_key: 'DOCK-2', name: 'Dock 2' }
const GONE = { id: 3, external_key: null, name: null }
const POINT = 'Antenna 1 at INSPECTION'

const read: Sighting = {
  observed_at: '2026-11-21T10:00:00.000Z',
  location: INSPECTION,
  decided_by: 'scan_point',
  location_key: null,
  tag: { id: 4, tag_type: 'rfid', value: 'E280' },
  reader: { reader_key: 'gate-1', id: 5, name: 'Gate 1' },
  antenna: 2,
  scan_point: { id: 6, name: POINT, location: INSPECTION },
  outvoted: [],
  carried_from: null,
  duration_seconds: null,
}
const named: Sighting = {
  ...read,
  location: DOCK_2,
  decided_by: 'location_key',
  location_key: 'DOCK-2',
  scan_point: null,
}
const pointAt = (location: Sighting['location']) => ({ scan_point: { id: 6, name: POINT, location } })
const removedReader = { reader: { reader_key: 'gate-1', id: null, name: null } }

const textOf = (parts: readonly Part[]) =>
  parts.map((part) => (typeof part === 'string' ? part : 'at' in part ? timeOf(part) : part.name)).join('')
const timeOf = ({ at, as }: { at: string; as?: 'clock' }) =>
  as === 'clock' ? at.slice(11, 19) : 'a minute ago'
const decisionIn = (text: string) => text.slice(text.indexOf('ago. ') + 5)

test.for<[string, Sighting, string]>([
  ['the scan point', read, `Scan point “${POINT}” is assigned to Goods inspection.`],
  [
    'a scan point that is assigned elsewhere now',
    { ...read, location: DOCK_2 },
    `Scan point “${POINT}” was assigned to Dock 2 then and is assigned to Goods inspection now.`,
  ],
  [
    'a scan point without a location now',
    { ...read, ...pointAt(null) },
    `Scan point “${POINT}” was assigned to Goods inspection then and has no location now.`,
  ],
  [
    'a scan point whose location was deleted',
    { ...read, location: GONE, ...pointAt(GONE) },
    `Scan point “${POINT}” is assigned to this location, which was deleted since.`,
  ],
  [
    'a scan point that was at a deleted location',
    { ...read, location: GONE },
    `Scan point “${POINT}” was assigned to a location that was deleted since then and is assigned to Goods inspection now.`,
  ],
  [
    'a scan point that is at a deleted location now',
    { ...read, ...pointAt(GONE) },
    `Scan point “${POINT}” was assigned to Goods inspection then and is assigned to a deleted location now.`,
  ],
  [
    'a scan point without a location',
    { ...read, location: null, ...pointAt(null) },
    `Scan point “${POINT}” has no location.`,
  ],
  [
    'a scan point that got a location later',
    { ...read, location: null },
    `Scan point “${POINT}” gave no location then and is assigned to Goods inspection now.`,
  ],
  [
    'a removed scan point',
    { ...read, scan_point: null },
    'The scan point of the antenna was assigned to Goods inspection then. The scan point was removed since.',
  ],
  [
    'a removed scan point without a location',
    { ...read, location: null, scan_point: null },
    'The scan point of the antenna gave no location then. The scan point was removed since.',
  ],
  [
    'a removed reader',
    { ...read, ...removedReader, scan_point: null },
    'The scan point of the antenna was assigned to Goods inspection then. Reader gate-1 was removed since.',
  ],
  ['a key', named, 'The message named the location “DOCK-2”, which is Dock 2.'],
  [
    'a key that was renamed',
    { ...named, location: { ...DOCK_2, external_key: 'DOCK-2B' } },
    'The message named the location “DOCK-2”, the key of Dock 2 then. Its key is “DOCK-2B” now.',
  ],
  [
    'a key of a deleted location',
    { ...named, location: GONE },
    'The message named the location “DOCK-2”, which was deleted since.',
  ],
  [
    'a key, from a reader that is not configured',
    { ...named, ...removedReader },
    'The message named the location “DOCK-2”, which is Dock 2. Reader gate-1 is not configured.',
  ],
  [
    'an earlier release',
    { ...read, decided_by: null, tag: null, scan_point: null },
    'What decided the location was not recorded, because an earlier release stored this read.',
  ],
])('%s decided', ([, sighting, expected]) => {
  expect(decisionIn(textOf(whyText(sighting)))).toBe(expected)
})

const save = { decided_by: 'save', tag: null, reader: null, antenna: null, scan_point: null } as const

test.for<[string, Sighting, string]>([
  ['a tag, reader and antenna', read, 'Tag E280 was read by Gate 1, antenna 2, a minute ago. '],
  ['no antenna', { ...named, antenna: null }, 'Tag E280 was read by Gate 1, a minute ago. '],
  ['an unknown tag', { ...read, tag: null }, 'It was read by Gate 1, antenna 2, a minute ago. '],
  [
    'a reader without a name',
    { ...read, ...removedReader },
    'Tag E280 was read by gate-1, antenna 2, a minute ago. ',
  ],
  [
    'a save',
    { ...read, ...save },
    'This location was saved a minute ago, in an inventory or with the data of the asset. ',
  ],
])('%s: the sentence says it first', ([, sighting, expected]) => {
  expect(textOf(whyText(sighting)).startsWith(expected)).toBe(true)
})

const YARD = { id: 7, external_key: 'YARD', name: 'Yard' }
const aside = (location: typeof YARD | typeof GONE, rssi: number | null) => ({ location, reader_key: 'gate-2', rssi, reads: 2 }) // oxfmt-ignore
const outvoted: Sighting = {
  ...read,
  decided_by: 'outvoted',
  scan_point: null,
  outvoted: [aside(DOCK_2, -71.4), aside(GONE, null)],
}

test.for<[string, Sighting, string, string]>([
  [
    'a read elsewhere that did not move it',
    outvoted,
    'It was seen at Dock 2 (−71 dBm) and a deleted location (no strength), which is not enough to move it from Goods inspection.',
    'Read by Gate 1, antenna 2; not enough to move it: Dock 2 (−71 dBm) and a deleted location (no strength)',
  ],
  [
    'a read that did not move it, while the place was deleted since',
    { ...outvoted, location: GONE, outvoted: [aside(YARD, -80)] },
    'It was seen at Yard (−80 dBm), which is not enough to move it from a location that was deleted since.',
    'Read by Gate 1, antenna 2; not enough to move it: Yard (−80 dBm)',
  ],
  [
    'a read that did not move it, of which nothing is kept',
    { ...outvoted, outvoted: [] },
    'The read was set aside: it stays at Goods inspection.',
    'Read by Gate 1, antenna 2; not enough to move it',
  ],
  [
    'a scan point while another place heard it too',
    { ...read, outvoted: [aside(INSPECTION, -60), aside(YARD, -80)] },
    `Scan point “${POINT}” is assigned to Goods inspection. In the same minute, it was also heard at Yard (−80 dBm), which did not move it.`,
    `Read by Gate 1, antenna 2; scan point “${POINT}”; also heard at Yard (−80 dBm)`,
  ],
  [
    'a read that is carried',
    { ...read, carried_from: '2026-11-21T09:59:25.000Z' },
    `Scan point “${POINT}” is assigned to Goods inspection. The read is carried from 09:59:25, because the minute before has another location.`,
    `Read by Gate 1, antenna 2; scan point “${POINT}”; carried from 09:59:25`,
  ],
])('%s decided, in a sentence and in few words', ([, sighting, sentence, short]) => {
  expect(decisionIn(textOf(whyText(sighting)))).toBe(sentence)
  expect(textOf(sourceText(sighting))).toBe(short)
})

test('a save says what it overruled', () => {
  const saved = { ...read, ...save, outvoted: [aside(YARD, -80)] }
  expect(textOf(whyText(saved))).toMatch(
    /No reader decided it\. In the same minute, it was also heard at Yard/,
  )
  expect(textOf(sourceText(saved))).toBe('Saved, not read; also heard at Yard (−80 dBm)')
})

test('the time of a carried read is that of the read', () => {
  const carried = { ...read, carried_from: '2026-11-21T09:59:25.000Z' }
  expect(whyText(carried)).toContainEqual({ at: carried.carried_from })
  expect(whyText(carried)).not.toContainEqual({ at: read.observed_at })
})

test('what waits has its place, its time, and what ends the wait', () => {
  const waiting = { location: YARD, at: '2026-11-21T10:00:25.000Z' }
  const texts = ['next_observation', 'carry', undefined].map((passages) =>
    textOf(waitingText(waiting, passages)),
  )
  expect(texts).toEqual([
    'Last read at Yard at 10:00:25. It waits for the next observation.',
    'Last read at Yard at 10:00:25. A few seconds after the minute ends, it is carried there.',
    'Last read at Yard at 10:00:25.',
  ])
  expect(textOf(waitingText({ ...waiting, location: GONE }, undefined))).toBe(
    'Last read at a deleted location at 10:00:25.',
  )
  expect(waitingText(waiting, undefined)).toContainEqual({ to: '/locations/7', name: 'Yard' })
})

test('a list has the same in few words', () => {
  expect(
    [
      read,
      { ...read, scan_point: null },
      named,
      { ...read, ...save },
      { ...read, decided_by: null, tag: null },
    ].map((sighting) => textOf(sourceText(sighting))),
  ).toEqual([
    `Read by Gate 1, antenna 2; scan point “${POINT}”`,
    'Read by Gate 1, antenna 2; scan point removed since',
    'Read by Gate 1, antenna 2; the message named “DOCK-2”',
    'Saved, not read',
    'Read by Gate 1, antenna 2; what decided was not recorded',
  ])
})

test('the reader and another location link to their screens', () => {
  expect(whyText({ ...read, location: DOCK_2 }).filter((part) => typeof part !== 'string')).toEqual([
    { to: '/readers/5', name: 'Gate 1' },
    { at: read.observed_at },
    { to: '/locations/1', name: 'Goods inspection' },
  ])
})

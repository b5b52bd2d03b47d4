import { expect, test } from 'vitest'
import type { Sighting } from './sightings.ts'
import { sourceText, whyText, type Part } from './why-text.ts'

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
  parts.map((part) => (typeof part === 'string' ? part : 'at' in part ? 'a minute ago' : part.name)).join('')
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

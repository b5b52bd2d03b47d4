import { expect, test } from 'vitest'
import { asReplayed, firstReception } from './replayed.ts'

const FIRST = Date.parse('2026-11-21T10:00:00.123Z')
const LATER = FIRST + 3_600_000

test.for([
  ['SCANS', 'scans.7.dock-1.canonical'],
  ['SCANS', 'scans.7.dock-1.moko.4711'],
  ['CATALOG', 'catalog.asset.7.9'],
  ['EVENTS', 'events.asset-moved.7'],
  ['PLACEMENTS', 'placements.7'],
] as const)(
  'a message of %s with subject %s keeps its time of reception when it is replayed',
  ([stream, subject]) => {
    const replayed = asReplayed({ stream, subject }, FIRST)
    expect(replayed.stream).toBe(stream)
    const stored = { subject: replayed.subject, receivedAt: LATER }
    expect(firstReception(stored, () => replayed.headers)).toEqual({ subject, receivedAt: FIRST })
  },
)

test.for(['scans.7.dock-1.canonical', '$MQTT.msgs.scans.7.dock-1.canonical', 'whatever.7'])(
  'only services can set the time of reception: headers of %s are not read',
  (subject) => {
    const stored = { subject, receivedAt: LATER }
    const forbidden = () => {
      throw new Error('headers were read')
    }
    expect(firstReception(stored, forbidden)).toEqual(stored)
  },
)

test.for([
  'scans.7.dock-1.canonical',
  '$MQTT.msgs.scans.7.dock-1.canonical',
  'scans.replayed.7.dock-1.canonical', // a dead letter of a release that did not know the mark
])('%s is replayed on a subject on which no reader may publish', (subject) => {
  expect(asReplayed({ stream: 'any', subject }, FIRST)).toMatchObject({
    stream: 'SCANS',
    subject: 'scans.replayed.7.dock-1.canonical',
  })
})

test.for([{}, { first_received_at: 'yesterday' }])(
  'without a valid time in the headers %j, the time of storing counts',
  (headers) => {
    const stored = { subject: 'events.asset-moved.7', receivedAt: LATER }
    expect(firstReception(stored, () => headers)).toEqual(stored)
  },
)

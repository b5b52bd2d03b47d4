import { expect, test } from 'vitest'
import { asReplayed, firstReception } from './replayed.ts'

const FIRST = Date.parse('2026-11-21T10:00:00.123Z')
const LATER = FIRST + 3_600_000

test.for([
  'scans.7.dock-1.canonical',
  'scans.7.dock-1.moko.4711',
  'catalog.asset.7.9',
  'events.asset-moved.7',
])('what was published once more as %s counts as received when it first was', (subject) => {
  const replayed = asReplayed(subject, FIRST)
  const stored = { subject: replayed.subject, receivedAt: LATER }
  expect(firstReception(stored, () => replayed.headers)).toEqual({ subject, receivedAt: FIRST })
})

test('a reader cannot say when its message was received: its headers are not even looked at', () => {
  const stored = { subject: 'scans.7.dock-1.canonical', receivedAt: LATER }
  const forbidden = () => {
    throw new Error('looked')
  }
  expect(firstReception(stored, forbidden)).toEqual(stored)
})

test('no reader may publish on the subject of a replayed scan: it has no number of an organization', () => {
  const marked = 'scans.replayed.7.dock-1.canonical'
  expect(asReplayed('scans.7.dock-1.canonical', FIRST).subject).toBe(marked)
  // Buried by a release that did not know the mark.
  expect(asReplayed(marked, FIRST).subject).toBe(marked)
})

test.for([{}, { first_received_at: 'yesterday' }])(
  'without a usable time, %j, the time of storing counts',
  (headers) => {
    const stored = { subject: 'events.asset-moved.7', receivedAt: LATER }
    expect(firstReception(stored, () => headers)).toEqual(stored)
  },
)

import { expect, test } from 'vitest'
import { CURRENT, decode, RECEIVED_AT_MS } from '../../test/formats/format-testing.ts'

const canonicalRead = (members: object = {}) => ({
  tag: { type: 'rfid', value: 'E28011606000020A' },
  ...members,
})
const canonical = (members?: object) => decode('canonical', { reads: [canonicalRead(members)] })
test.for([
  { skewMs: 30_000, want: [] },
  { skewMs: 30_001, want: [{ kind: 'clock_skew', detail: { skew_s: 30 } }] },
  { skewMs: -86_400_000, want: [] },
  { skewMs: -86_400_001, want: [{ kind: 'clock_skew', detail: { skew_s: -86_400 } }] },
])('a newest time of $skewMs ms after receipt gives $want', ({ skewMs, want }) => {
  const read_at = new Date(RECEIVED_AT_MS + skewMs).toISOString()
  expect(canonical({ read_at }).health).toMatchObject(want)
})

test('old times with one current time are a backlog, not a wrong clock', () => {
  const reads = ['2020-01-01T00:00:00Z', CURRENT].map((read_at) => canonicalRead({ read_at }))
  expect(decode('canonical', { reads }).health).toEqual([])
  expect(decode('canonical', { reads: reads.toReversed() }).health).toEqual([])
})

test('a message with one usable frame is not a dead letter', () => {
  expect(decode('zebra', '{"status":1}\n{x}')).toMatchObject({ isDeadLetter: true })
  expect(decode('zebra', '{"status":1}\n{x}\n[]')).toMatchObject({ isDeadLetter: false })
  expect(decode('zebra', '')).toMatchObject({ isDeadLetter: false, errors: [] })
})

test('errors beyond the first thousand are counted and not kept', () => {
  const decoded = decode('impinj', `[${Array.from({ length: 50_000 }, () => 0).join(',')}]`)
  expect(decoded.errors).toHaveLength(1000)
  expect(decoded.errors_omitted).toBe(49_000)
})

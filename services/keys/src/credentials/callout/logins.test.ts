import { expect, test } from 'vitest'
import { grantFor } from './logins.ts'

const nowMs = Date.parse('2026-11-21T10:00:00.900Z')
const nowSeconds = Date.parse('2026-11-21T10:00:00Z') / 1_000
const key = { jti: '00000000-0000-4000-8000-000000000007', org_id: 7, reader_key: null }

test.for([
  { name: 'a day for a key without expiry', expires_at: null, want: nowSeconds + 86_400 },
  {
    name: 'a day for a key that lives on',
    expires_at: '2999-01-01T00:00:00.000Z',
    want: nowSeconds + 86_400,
  },
  { name: 'until the key expires', expires_at: '2026-11-21T11:00:00.999Z', want: nowSeconds + 3_600 },
])('a login is good for $name', ({ expires_at, want }) => {
  expect(grantFor({ ...key, expires_at }, nowMs).expiresAt).toBe(want)
})

test('a grant names one organization', () => {
  expect(grantFor({ ...key, expires_at: null }, nowMs).publish).toEqual(['scans.7.>'])
})

test('D16.1 a grant of a key bound to a reader names that reader', () => {
  const bound = { ...key, reader_key: 'dock-1', expires_at: null }
  expect(grantFor(bound, nowMs).publish).toEqual(['scans.7.dock-1.>'])
})

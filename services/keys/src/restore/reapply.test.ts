import { expect, test } from 'vitest'
import { sortStates } from './reapply.ts'

const key = {
  org_id: 1,
  id: 2,
  jti: 'j',
  revision: 3,
  name: 'k',
  scopes: ['scans:write'],
  expires_at: null,
  revoked_at: null,
  rate_limit_per_minute: null,
}
const org = { org_id: 1, revision: 3, name: 'o', subscription_ends_at: null }
const member = { org_id: 1, user_id: 2, revision: 3, role: 'admin', deleted_at: null }

test('states are sorted by subject, and unreadable ones are named', () => {
  const stored = [
    { subject: 'keys.key.j', payload: key },
    { subject: 'keys.org.1', payload: org },
    { subject: 'keys.member.1.2', payload: member },
    { subject: 'keys.key.broken', payload: { ...key, revision: 'x' } },
    { subject: 'keys.unheard.of', payload: {} },
  ]
  expect(sortStates(stored)).toEqual({
    states: { orgs: [org], keys: [key], members: [member] },
    unreadable: ['keys.key.broken', 'keys.unheard.of'],
  })
})

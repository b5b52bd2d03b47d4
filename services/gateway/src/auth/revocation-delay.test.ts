import { expect, test } from 'vitest'
import { keyStateOf, memberStateOf } from '../../test/gateway.fixture.ts'
import { KeyView } from './key-view.ts'
import { newlyRevokedAt } from './revocation-delay.ts'

const jti = '11111111-1111-4111-8111-111111111111'
const revoked = keyStateOf({ jti, revision: 2, revoked_at: '2026-11-21T10:00:00.000Z' })

test('a revocation is measured once, not for later states of the key', () => {
  const view = new KeyView()
  view.apply(`keys.key.${jti}`, keyStateOf({ jti, revision: 1 }))
  expect(newlyRevokedAt(view, `keys.key.${jti}`, revoked)).toBe(Date.parse('2026-11-21T10:00:00.000Z'))
  view.apply(`keys.key.${jti}`, revoked)
  expect(newlyRevokedAt(view, `keys.key.${jti}`, { ...revoked, revision: 3 })).toBeUndefined()
})

test('active keys, members and unreadable states are not revocations', () => {
  const view = new KeyView()
  expect(newlyRevokedAt(view, `keys.key.${jti}`, keyStateOf({ jti, revision: 1 }))).toBeUndefined()
  expect(newlyRevokedAt(view, 'keys.member.7.9', memberStateOf({ user_id: 9, revision: 3 }))).toBeUndefined()
  expect(newlyRevokedAt(view, `keys.key.${jti}`, { revoked_at: 'soon' })).toBeUndefined()
})

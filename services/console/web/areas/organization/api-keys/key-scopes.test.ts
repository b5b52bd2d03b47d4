import { expect, test } from 'vitest'
import { expiresAt, lacksDay, NO_SCOPES, scopesOf, scopeTexts } from './key-scopes.ts'

test.for([
  { form: NO_SCOPES, want: [] },
  { form: { ...NO_SCOPES, assets: 'read' }, want: ['assets:read'] },
  { form: { ...NO_SCOPES, scans: 'write' }, want: ['scans:read', 'scans:write'] },
  { form: { ...NO_SCOPES, rules: 'read' }, want: ['rules:read'] },
  { form: { ...NO_SCOPES, rules: 'write' }, want: ['rules:read', 'rules:write'] },
  { form: { ...NO_SCOPES, isKeysAdmin: true }, want: ['keys:admin'] },
  { form: { ...NO_SCOPES, isWebhooksAdmin: true }, want: ['webhooks:admin'] },
  {
    form: {
      assets: 'write',
      locations: 'read',
      scans: 'read',
      rules: 'none',
      isFollowing: true,
      isAuditing: true,
      isKeysAdmin: true,
      isWebhooksAdmin: false,
    },
    want: [
      'assets:read',
      'assets:write',
      'locations:read',
      'scans:read',
      'events:read',
      'audit:read',
      'keys:admin',
    ],
  },
] as const)('$form asks for $want', ({ form, want }) => expect(scopesOf(form)).toEqual(want))

test('two names of one scope have one text, and an unknown scope is shown as it is', () =>
  expect(scopeTexts(['scans:read', 'tracking:read', 'floors:read'])).toEqual([
    ['Read scans', ['scans:read', 'tracking:read']],
    ['floors:read', ['floors:read']],
  ]))

test('an expiry in days counts from now; a date ends at local midnight', () => {
  const now = Date.parse('2026-11-21T10:00:00Z')
  expect(expiresAt('never', '', now)).toBeNull()
  expect(expiresAt('30', '', now)).toBe('2026-12-21T10:00:00.000Z')
  const end = expiresAt('date', '2026-12-24', now)
  expect(end).toBe(new Date(2026, 11, 24, 23, 59, 59, 999).toISOString())
})

test('the expiry lacks a day while the chosen date is empty', () => {
  expect(lacksDay('date', '')).toBe(true)
  expect(lacksDay('date', '2026-12-24')).toBe(false)
  expect(lacksDay('30', '')).toBe(false)
})

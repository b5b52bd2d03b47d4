import { expect, test } from 'vitest'
import {
  type AuditRow,
  actionText,
  actorText,
  shortValueText,
  shownChanges,
  subjectText,
} from './audit-text.ts'

test.each([
  ['asset.update', 'Asset changed'],
  ['floor_plan.update', 'Floor plan changed'],
  ['session.fail', 'Sign-in failed'],
  ['drone.update', 'drone.update'],
  ['asset.paint', 'asset.paint'],
  ['toString.create', 'toString.create'],
])('%s reads as %s', (action, text) => expect(actionText(action)).toBe(text))

test.each<[AuditRow['actor'], string]>([
  [{ type: 'user', id: 1, name: 'Ada' }, 'Ada'],
  [{ type: 'user', id: 1, name: null }, 'Somebody who left'],
  [{ type: 'key', id: 2, name: 'Export' }, 'API key Export'],
  [{ type: 'operator', id: null, name: null }, 'An operator of this server'],
])('the actor %o reads as %s', (actor, text) => expect(actorText(actor)).toBe(text))

const row = (subject: AuditRow['subject'], changes: AuditRow['changes'] = {}): AuditRow => ({
  id: '0a6f7c1e-8f5e-4d2c-9b1a-3f4e5d6c7b8a',
  at: '2026-11-21T08:30:00.000Z',
  actor: { type: 'user', id: 1, name: 'Ada' },
  action: `${subject.type}.update`,
  subject,
  changes,
  ip: null,
  request_id: null,
})

test('a thing has its new name, its old one, its key, or its number', () => {
  const subject = { type: 'asset', id: 7, external_key: 'A-7' }
  expect(subjectText(row(subject, { name: { from: 'Old', to: 'New' } }))).toBe('New')
  expect(subjectText(row(subject, { name: { from: 'Old', to: null } }))).toBe('Old')
  expect(subjectText(row(subject))).toBe('A-7')
  expect(subjectText(row({ ...subject, external_key: null }))).toBe('7')
  expect(subjectText(row({ type: 'session', id: null, external_key: '0a6f' }))).toBe('')
})

test('a change says from what to what, and never what a secret is', () => {
  const changes = {
    name: { from: 'Forklift 7', to: 'Forklift 8' },
    color: { from: null, to: 'red' },
    owner: { from: 'Ada', to: null },
    is_active: { from: true, to: false },
    password: { from: null, to: null },
  }
  expect(shownChanges(changes)).toEqual([
    { field: 'name', text: 'Forklift 7 → Forklift 8' },
    { field: 'color', text: 'red' },
    { field: 'owner', text: 'Ada → removed' },
    { field: 'is_active', text: 'true → false' },
    { field: 'password', text: 'changed (secret, not shown)' },
  ])
})

test('a line of a list has no JSON in it', () => {
  const tags = [{ value: 'E28011' }]
  const changes = { tags: { from: [], to: tags }, metadata: { from: null, to: { hall: '7' } } }
  expect(shownChanges(changes, shortValueText)).toEqual([
    { field: 'tags', text: '0 values → 1 value' },
    { field: 'metadata', text: 'an object' },
  ])
  expect(shownChanges(changes)).toEqual([
    { field: 'tags', text: '[] → [{"value":"E28011"}]' },
    { field: 'metadata', text: '{"hall":"7"}' },
  ])
})

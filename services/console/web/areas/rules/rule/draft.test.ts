import { expect, test } from 'vitest'
import { problemsIn } from '../../../parts/form/checks.ts'
import type { Rule } from '../words/sentence.ts'
import { bodyOf, changesOf, checksOf, draftOf, isComplete, nameOfDraft, NEW_RULE, withWho } from './draft.ts'

const picked = (thing: string, id: number) => ({ id, name: `${thing} ${id}`, external_key: String(id) })

const RULE: Rule = {
  id: 1,
  name: 'Slow pallets',
  kind: 'stayed_longer_than',
  enabled: true,
  severity: 'critical',
  scope: {
    asset_ids: [7],
    asset_types: ['inventory'],
    location_ids: [3],
    metadata: { team: 'north' },
    include_descendants: false,
    reader_ids: [],
  },
  params: { seconds: 5_400 },
  for_seconds: 45,
  schedule: { days: [1], from: '06:00', to: '22:00' },
  notify: { event: false, email: ['admins'], chat: [], remind_minutes: 60 },
  problem: null,
  open_alerts: 0,
  created_at: '2026-11-21T10:00:00.000Z',
  updated_at: '2026-11-21T10:00:00.000Z',
}

test('a stored rule is the same after the form', () => {
  const { name, kind, severity, scope, params, for_seconds, schedule, notify } = RULE
  const draft = draftOf(RULE, picked)
  expect(bodyOf(draft)).toEqual({ name, kind, severity, scope, params, for_seconds, schedule, notify })
  expect(changesOf(draft, draft)).toEqual({})
  expect(isComplete(draft)).toBe(true)
  const ofReader: Rule = {
    ...RULE,
    kind: 'reader_silent',
    scope: { ...scope, asset_ids: [], asset_types: [], metadata: {}, location_ids: [], reader_ids: [4] },
    params: {},
  }
  expect(bodyOf(draftOf(ofReader, picked))).toMatchObject({ params: {}, scope: ofReader.scope })
})

test('metadata stays, and goes name by name if it is removed or the rule becomes one about readers', () => {
  const before = draftOf(RULE, picked)
  expect(changesOf(before, { ...before, severity: 'info' })).toEqual({ severity: 'info' })
  expect(changesOf(before, withWho(before, 'any_reader')).scope?.metadata).toEqual({ team: null })
  const having = [{ name: 'size', type: 'number' as const, value: '7' }]
  expect(changesOf(before, { ...before, having }).scope?.metadata).toEqual({ team: null, size: 7 })
  expect(isComplete({ ...before, having: [{ name: '', type: 'text', value: '' }] })).toBe(false)
})

test('only changes are sent, and parameters of another kind are removed', () => {
  const before = draftOf(RULE, picked)
  expect(changesOf(before, { ...before, severity: 'info' })).toEqual({ severity: 'info' })
  expect(changesOf(before, { ...before, kind: 'missing_at', time: '07:30' })).toEqual({
    kind: 'missing_at',
    params: { seconds: null, time: '07:30' },
  })
  expect(changesOf(before, { ...before, schedule: null })).toEqual({ schedule: null })
})

test('the name follows the sentence until one is typed', () => {
  const draft = { ...NEW_RULE, kind: 'left', locations: [picked('location', 3)] }
  expect(nameOfDraft(draft)).toBe('Any asset leaves location 3')
  expect(nameOfDraft({ ...draft, kind: 'entered' })).toBe('Any asset enters location 3')
  expect(nameOfDraft({ ...draft, name: 'Mine', kind: 'entered' })).toBe('Mine')
  expect(
    draftOf({ ...RULE, name: nameOfDraft({ ...draftOf(RULE, picked), name: null }) }, picked).name,
  ).toBeNull()
})

test('the form says what is missing', () => {
  const fieldsOf = (change: Partial<typeof NEW_RULE>) =>
    Object.keys(problemsIn(checksOf({ ...NEW_RULE, locations: [picked('location', 3)], ...change })))
  const empty = { amount: '', unit: 'hours' as const }
  expect(fieldsOf({})).toEqual([])
  expect(fieldsOf({ who: 'assets' })).toEqual(['scope.asset_ids'])
  expect(fieldsOf({ who: 'types' })).toEqual(['scope.asset_types'])
  expect(fieldsOf({ who: 'readers', kind: 'reader_silent' })).toEqual(['scope.reader_ids'])
  expect(fieldsOf({ locations: [] })).toEqual(['scope.location_ids'])
  expect(fieldsOf({ locations: [], kind: 'away_from_home' })).toEqual([])
  expect(fieldsOf({ seconds: empty, holds: empty })).toEqual(['params.seconds', 'for_seconds'])
  expect(fieldsOf({ kind: 'left', resolves: empty })).toEqual(['params.resolve_after_seconds'])
  expect(fieldsOf({ kind: 'missing_at', time: '' })).toEqual(['params.time'])
  expect(fieldsOf({ name: ' ' })).toEqual(['name'])
  expect(isComplete({ ...NEW_RULE, locations: [picked('location', 3)], name: '' })).toBe(true)
})

test('readers are silent, and assets are not', () => {
  const silent = withWho(NEW_RULE, 'any_reader')
  expect(silent).toMatchObject({ kind: 'reader_silent', seconds: null })
  expect(withWho(silent, 'readers').kind).toBe('reader_silent')
  expect(withWho(silent, 'any')).toMatchObject({ kind: NEW_RULE.kind, seconds: NEW_RULE.seconds })
  const left = { ...NEW_RULE, kind: 'left', who: 'types' as const, assetTypes: ['person'] }
  expect(withWho(left, 'any')).toMatchObject({ kind: 'left', assetTypes: [] })
})

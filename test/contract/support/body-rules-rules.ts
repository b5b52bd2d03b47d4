import type { OperationId } from '@whereabouts/contracts/routes'
import { choice, flag, formed, id, instant, integer, listOf, objectOf, scalarsOf, text, valuesOf, type BodyRules } from './field-rules.ts' // oxfmt-ignore

const ids = valuesOf(id, (index) => index + 1, { max: 1_000 })
const types = ['asset', 'person', 'inventory'] as const
const scope = (nullable: boolean) => ({
  asset_ids: ids,
  metadata: scalarsOf(20, { nullable }),
  asset_types: valuesOf(choice(...types), (index) => types[index % types.length], { max: types.length }),
  location_ids: ids,
  include_descendants: flag,
  reader_ids: ids,
})
const timeOfDay = (nullable: boolean) =>
  formed(text(5, { nullable }), 'must be a time such as 07:30', '24:00', '7:30', '07:60', 'noon')
const params = {
  seconds: integer(60, 31_536_000, { nullable: true }),
  time: timeOfDay(true),
  resolve_after_seconds: integer(60, 2_592_000, { nullable: true }),
}
const schedule = {
  days: valuesOf(integer(1, 7), (index) => (index % 7) + 1, { min: 1, max: 7 }),
  from: timeOfDay(false),
  to: timeOfDay(false),
}
const notify = {
  event: flag,
  email: valuesOf(text(320), (index) => `${index}@example.com`, { max: 20 }),
  chat: listOf(
    { kind: choice('slack', 'teams', 'google_chat', 'generic'), url: text(2_048) },
    { kind: 'slack', url: 'https://hooks.example.com/a' },
    { max: 5, required: ['kind', 'url'] },
  ),
  remind_minutes: integer(15, 10_080, { nullable: true }),
}
const AT_WORK = { days: [1, 2, 3, 4, 5], from: '06:00', to: '22:00' }

const rule = {
  kind: choice(
    'entered',
    'left',
    'not_seen_for',
    'stayed_longer_than',
    'missing_at',
    'away_from_home',
    'reader_silent',
  ),
  enabled: flag,
  severity: choice('info', 'warning', 'critical'),
  params: objectOf(params, {}),
  for_seconds: integer(0, 86_400),
  notify: objectOf(notify, {}),
}
const created = {
  ...rule,
  name: text(255, { trimmed: true, plain: true }),
  scope: objectOf(scope(false), {}),
  schedule: objectOf(schedule, AT_WORK, { nullable: true, required: ['days', 'from', 'to'] }),
}
const GOOD = { name: 'Gone', kind: 'left' }

/** The contract's rule for every field of every body of rules and alerts. */
export const ruleBodyRules = {
  createRule: { good: GOOD, required: ['name', 'kind'], fields: created },
  updateRule: {
    good: {},
    required: [],
    fields: {
      ...rule,
      name: text(255, { trimmed: true }),
      scope: objectOf(scope(true), {}),
      schedule: objectOf(schedule, AT_WORK, { nullable: true }),
    },
  },
  previewRule: {
    good: { rule: GOOD },
    required: ['rule'],
    fields: {
      rule: objectOf(created, GOOD, { required: ['name', 'kind'] }),
      from: instant(),
      to: instant(),
    },
  },
  acknowledgeAlert: { good: {}, required: [], fields: { note: text(1_000, { lines: true }) } },
  acknowledgeAlerts: {
    good: { ids: [1] },
    required: ['ids'],
    fields: { ids: valuesOf(id, (index) => index + 1, { min: 1, max: 1_000 }) },
  },
} as const satisfies Partial<Record<OperationId, BodyRules>>

import { z } from 'zod'
import { Id } from '../../rules/ids.ts'
import { Instant, WireInstant } from '../../rules/instant.ts'
import { openEnum } from '../../rules/open-enum.ts'
import {
  booleanParameter,
  dataOf,
  enumParameters,
  listOf,
  page,
  pathId,
  searchParameter,
  sortParameter,
} from '../../rules/query.ts'
import { distinct } from '../../rules/distinct.ts'
import { addProblem, Name, NamePatch, text } from '../../rules/text.ts'
import type { Route } from '../../route.ts'
import { assetTypes } from '../catalog/assets.ts'
import { ScopeMetadataInput, ScopeMetadataUpdate, ScopeMetadataView } from './scope-metadata.ts'
import { NotifyInput, RuleNotify, RuleTestResult } from './notify.ts'

/** What a rule tells of (D14.2). */
export const ruleKinds = [
  'entered',
  'left',
  'not_seen_for',
  'stayed_longer_than',
  'missing_at',
  'away_from_home',
  'reader_silent',
] as const
export type RuleKind = (typeof ruleKinds)[number]

/** Those that need places. */
export const placeKinds: ReadonlySet<RuleKind> = new Set([
  'entered',
  'left',
  'stayed_longer_than',
  'missing_at',
])

export const severities = ['info', 'warning', 'critical'] as const
export type Severity = (typeof severities)[number]

export const ruleProblems = ['scope_empty', 'too_many', 'notify_failed'] as const
export type RuleProblem = (typeof ruleProblems)[number]

export const MOST_RULES = 200
/** Open alerts of a rule. Beyond them, one alert about the rule itself. */
export const MOST_OPEN_ALERTS = 10_000
/** A new rule raises what is already true, but not more without being asked. */
export const MOST_EXISTING = 1_000
const MOST_IDS = 1_000
const MOST_SECONDS = 31_536_000
const LONGEST_FOR_SECONDS = 86_400

const ABOUT = {
  asset_ids: { description: 'Assets. An empty list means any. A deleted asset matches nothing.' },
  include_descendants: { description: 'Whether what is in these locations counts too. Default: true.' },
  reader_ids: { description: 'Readers, for `reader_silent` alone. An empty list means any.' },
  seconds: {
    description:
      'Of `stayed_longer_than` and `not_seen_for`; of `reader_silent`, instead of the usual pauses of the reader.',
    example: 14_400,
  },
  time: { description: 'Of `missing_at`, in the time zone of the organization.', example: '08:00' },
  resolve_after_seconds: {
    description:
      'Of `entered` and `left`: the alert is resolved after so long. Without it, by the opposite alone.',
    example: 3_600,
  },
  days: { description: 'Days on which the window begins: 1 is Monday.', example: [1, 2, 3, 4, 5] },
  from: { description: 'When it begins, in the time zone of the organization.', example: '06:00' },
  to: { description: 'When it ends: on the next day if it is earlier than `from`.', example: '22:00' },
  name: { description: 'What people call the rule.', example: 'Pallets that stay in Receiving' },
  kind: {
    description:
      'What it tells of. `entered`, `left`: a movement into or out of the places. `stayed_longer_than`: the time in them ' +
      'together. `missing_at`: what is not inside at a time of the day, also what was never seen. `not_seen_for`: what was ' +
      'not read for so long. `away_from_home`: what is not at its home. `reader_silent`: readers.',
    example: 'stayed_longer_than',
  },
  enabled: { description: 'Whether it raises alerts. Default: true.', example: true },
  severity: { description: 'How bad it is. Default: `warning`.', example: 'warning' },
  scope: { description: 'What it is about. Default: all assets.' },
  params: { description: 'The times of its kind.' },
  for_seconds: { description: 'How long the condition must hold without a break. Default: 0.', example: 0 },
  schedule: {
    description:
      'When alerts are raised. Null: at any time. What is true when the window opens is raised then.',
  },
  notify: { description: 'How people and programs hear of it.' },
} as const

const Ids = z.array(Id).max(MOST_IDS)
const seconds = z.int().min(60).max(MOST_SECONDS)
const resolveAfter = z.int().min(60).max(2_592_000)

/** `HH:MM` of a day. */
const TimeOfDay = text(1, 5)
  .check((payload) => {
    if (payload.value !== '' && !/^([01]\d|2[0-3]):[0-5]\d$/.test(payload.value))
      addProblem(payload, { code: 'invalid_value', message: '{f} must be a time such as 07:30' })
  })
  .meta({ override: { pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' }, example: '07:30' })

const ScopeInput = z
  .strictObject({
    asset_ids: Ids.optional().meta(ABOUT.asset_ids),
    asset_types: distinct(assetTypes).optional(),
    metadata: ScopeMetadataInput.optional(),
    location_ids: Ids.optional(),
    include_descendants: z.boolean().optional().meta(ABOUT.include_descendants),
    reader_ids: Ids.optional().meta(ABOUT.reader_ids),
  })
  .meta({ id: 'RuleScopeInput' })

const ScopeUpdate = ScopeInput.extend({
  metadata: ScopeMetadataUpdate.optional(),
}).meta({ id: 'RuleScopeUpdate' })

/** An empty list sets no condition. An id that was deleted stays and matches nothing. */
export const RuleScope = z
  .object({
    asset_ids: z.array(Id).meta(ABOUT.asset_ids),
    asset_types: z.array(openEnum(assetTypes)),
    metadata: ScopeMetadataView,
    location_ids: z.array(Id),
    include_descendants: z.boolean().meta(ABOUT.include_descendants),
    reader_ids: z.array(Id).meta(ABOUT.reader_ids),
  })
  .meta({
    id: 'RuleScope',
    description: 'An empty list sets no condition. An id that was deleted stays, and matches nothing.',
  })
export type RuleScope = z.infer<typeof RuleScope>

const ParamsInput = z
  .strictObject({
    seconds: seconds.nullable().optional().meta(ABOUT.seconds),
    time: TimeOfDay.nullable().optional().meta(ABOUT.time),
    resolve_after_seconds: resolveAfter.nullable().optional().meta(ABOUT.resolve_after_seconds),
  })
  .meta({ id: 'RuleParamsInput' })

/** Which of them belong to a kind is checked with the kind. */
export const RuleParams = z
  .object({
    seconds: z.int().optional().meta(ABOUT.seconds),
    time: z.string().optional().meta(ABOUT.time),
    resolve_after_seconds: z.int().optional().meta(ABOUT.resolve_after_seconds),
  })
  .meta({ id: 'RuleParams' })
export type RuleParams = z.infer<typeof RuleParams>

export const RuleSchedule = z
  .object({
    days: z.array(z.int()).meta(ABOUT.days),
    from: z.string().meta(ABOUT.from),
    to: z.string().meta(ABOUT.to),
  })
  .meta({
    id: 'RuleSchedule',
    description:
      'When alerts are raised, in the time zone of the organization. `days`: those on which the window begins, 1 is Monday. ' +
      'It ends on the next day if `to` is earlier.',
    example: { days: [1, 2, 3, 4, 5], from: '06:00', to: '22:00' },
  })
export type RuleSchedule = z.infer<typeof RuleSchedule>

const WeekDays = z
  .array(z.int().min(1).max(7))
  .min(1)
  .max(7)
  .check((payload) => {
    if (new Set(payload.value).size < payload.value.length)
      addProblem(payload, { code: 'invalid_value', message: '{f} must not contain a value twice' })
  })

const ScheduleInput = z
  .strictObject({
    days: WeekDays.meta(ABOUT.days),
    from: TimeOfDay.meta(ABOUT.from),
    to: TimeOfDay.meta(ABOUT.to),
  })
  .meta({ id: 'RuleScheduleInput' })

const ScheduleUpdate = z
  .strictObject({
    days: WeekDays.optional().meta(ABOUT.days),
    from: TimeOfDay.optional().meta(ABOUT.from),
    to: TimeOfDay.optional().meta(ABOUT.to),
  })
  .meta({ id: 'RuleScheduleUpdate' })

export const RuleView = z
  .object({
    id: Id,
    name: z.string().meta(ABOUT.name),
    kind: openEnum(ruleKinds),
    enabled: z.boolean().meta(ABOUT.enabled),
    severity: openEnum(severities),
    scope: RuleScope,
    params: RuleParams,
    for_seconds: z.int().meta(ABOUT.for_seconds),
    schedule: RuleSchedule.nullable().meta(ABOUT.schedule),
    notify: RuleNotify,
    problem: openEnum(
      ruleProblems,
      'Why the rule does not do all that it should; null if it does.',
    ).nullable(),
    open_alerts: z.int().meta({ description: 'Alerts that are not resolved.', example: 2 }),
    created_at: WireInstant,
    updated_at: WireInstant,
  })
  .meta({
    id: 'Rule',
    example: {
      id: 4503599627370500,
      name: 'Pallets that stay in Receiving',
      kind: 'stayed_longer_than',
      enabled: true,
      severity: 'warning',
      scope: {
        asset_ids: [],
        asset_types: ['inventory'],
        metadata: {},
        location_ids: [4503599627370498],
        include_descendants: true,
        reader_ids: [],
      },
      params: { seconds: 14_400 },
      for_seconds: 0,
      schedule: { days: [1, 2, 3, 4, 5], from: '06:00', to: '22:00' },
      notify: { event: true, email: ['admins'], chat: [], remind_minutes: null },
      problem: null,
      open_alerts: 2,
      created_at: '2026-11-21T10:00:00.000Z',
      updated_at: '2026-11-21T10:00:00.000Z',
    },
  })
export type RuleView = z.infer<typeof RuleView>

export const RuleCreate = z
  .strictObject({
    name: Name,
    kind: z.enum(ruleKinds).meta(ABOUT.kind),
    enabled: z.boolean().optional().meta(ABOUT.enabled),
    severity: z.enum(severities).optional().meta(ABOUT.severity),
    scope: ScopeInput.optional().meta(ABOUT.scope),
    params: ParamsInput.optional().meta(ABOUT.params),
    for_seconds: z.int().min(0).max(LONGEST_FOR_SECONDS).optional().meta(ABOUT.for_seconds),
    schedule: ScheduleInput.nullable().optional().meta(ABOUT.schedule),
    notify: NotifyInput.optional().meta(ABOUT.notify),
  })
  .meta({
    id: 'RuleCreate',
    example: {
      name: 'Inventory not seen for a day',
      kind: 'not_seen_for',
      scope: { asset_types: ['inventory'] },
      params: { seconds: 86_400 },
      schedule: { days: [1, 2, 3, 4, 5], from: '06:00', to: '22:00' },
    },
  })
export type RuleCreate = z.infer<typeof RuleCreate>

export const RuleUpdate = z
  .strictObject({
    name: NamePatch.optional(),
    kind: z.enum(ruleKinds).optional().meta(ABOUT.kind),
    enabled: z.boolean().optional().meta(ABOUT.enabled),
    severity: z.enum(severities).optional().meta(ABOUT.severity),
    scope: ScopeUpdate.optional().meta(ABOUT.scope),
    params: ParamsInput.optional().meta(ABOUT.params),
    for_seconds: z.int().min(0).max(LONGEST_FOR_SECONDS).optional().meta(ABOUT.for_seconds),
    schedule: ScheduleUpdate.nullable().optional().meta(ABOUT.schedule),
    notify: NotifyInput.optional().meta(ABOUT.notify),
  })
  .meta({ id: 'RuleUpdate', example: { enabled: false } })
export type RuleUpdate = z.infer<typeof RuleUpdate>

/** An asset or a reader of an alert. `external_key` of an asset, `reader_key` of a reader. */
export const AlertSubject = z
  .object({
    type: openEnum(['asset', 'reader', 'rule']),
    id: Id,
    external_key: z.string().optional(),
    reader_key: z.string().optional(),
    name: z.string(),
  })
  .meta({
    id: 'AlertSubject',
    example: { type: 'asset', id: 4503599627370497, external_key: 'PALLET-7', name: 'Pallet 7' },
  })
export type AlertSubject = z.infer<typeof AlertSubject>

export const AlertLocation = z.object({ id: Id, external_key: z.string(), name: z.string() }).meta({
  id: 'AlertLocation',
  example: { id: 4503599627370498, external_key: 'RECEIVING', name: 'Receiving' },
})

export const MOST_PREVIEWED_SUBJECTS = 50
export const MOST_PREVIEWED_ALERTS = 100
export const LONGEST_PREVIEW_DAYS = 30

const PreviewedAlert = z
  .object({
    subject: AlertSubject,
    location: AlertLocation.nullable(),
    raised_at: WireInstant.meta({ description: 'When the condition had held for `for_seconds`.' }),
    resolved_at: WireInstant.nullable().meta({
      description: 'When it was over. Null if it was not until `to`.',
    }),
    resolved_because: z.string().nullable().meta({ description: 'Why it was over.', example: 'condition' }),
  })
  .meta({ id: 'PreviewedAlert' })

const PALLET = { type: 'asset', id: 4503599627370497, external_key: 'PALLET-7', name: 'Pallet 7' }

export const RulePreview = z
  .object({
    now: z
      .object({
        count: z.int().meta({ description: 'What is true now, and would be raised at once.' }),
        subjects: z.array(AlertSubject).meta({ description: `Up to ${MOST_PREVIEWED_SUBJECTS} of them.` }),
      })
      .meta({ id: 'RulePreviewNow' }),
    past: z
      .object({
        count: z.int().meta({ description: 'Alerts that would have been raised.' }),
        alerts: z.array(PreviewedAlert).meta({ description: `The ${MOST_PREVIEWED_ALERTS} newest.` }),
      })
      .meta({ id: 'RulePreviewPast' })
      .nullable()
      .meta({ description: 'Null for `reader_silent`, of which no past is kept.' }),
  })
  .meta({
    id: 'RulePreview',
    example: {
      now: { count: 1, subjects: [PALLET] },
      past: {
        count: 1,
        alerts: [
          {
            subject: PALLET,
            location: { id: 4503599627370498, external_key: 'RECEIVING', name: 'Receiving' },
            raised_at: '2026-11-21T14:00:00.000Z',
            resolved_at: null,
            resolved_because: null,
          },
        ],
      },
    },
  })
export type RulePreview = z.infer<typeof RulePreview>

const RulePreviewRequest = z
  .strictObject({
    rule: RuleCreate,
    from: Instant.optional().meta({ description: 'Where the past begins. Default: 7 days before `to`.' }),
    to: Instant.optional().meta({ description: 'Where the past ends. Default: now.' }),
  })
  .meta({
    id: 'RulePreviewRequest',
    example: {
      rule: {
        name: 'Inventory not seen for a day',
        kind: 'not_seen_for',
        scope: { asset_types: ['inventory'] },
        params: { seconds: 86_400 },
      },
    },
  })

export const RulesQuery = z.strictObject({
  ...page,
  kind: enumParameters(ruleKinds).optional(),
  enabled: booleanParameter.optional().meta({ description: 'Those that are switched on, or off.' }),
  q: searchParameter.optional(),
  sort: sortParameter(['name', 'created_at', 'updated_at', 'open_alerts']).optional(),
})
export type RulesQuery = z.infer<typeof RulesQuery>

const raiseExisting = z.strictObject({
  raise_existing: booleanParameter.optional().meta({
    description:
      `What is already true is raised, up to ${MOST_EXISTING} alerts. \`true\`: also if there are more. ` +
      '`false`: only what happens from now on.',
  }),
})

const RulePath = z.strictObject({ rule_id: pathId.meta({ description: 'The id of the rule.' }) })
const own = { upstream: 'tracking', counted: true, described: true } as const
const toRead = { ...own, access: 'rules:read' } as const
const toWrite = { ...own, access: 'rules:write' } as const

export const ruleRoutes = {
  listRules: {
    ...toRead,
    method: 'GET',
    path: '/rules',
    summary: 'List rules',
    query: RulesQuery,
    success: { status: 200, schema: listOf(RuleView) },
    errors: ['validation_error'],
  },
  createRule: {
    ...toWrite,
    method: 'POST',
    path: '/rules',
    summary: 'Create a rule',
    description:
      `An organization has at most ${MOST_RULES}. What is already true is raised at once; if that is more than ` +
      `${MOST_EXISTING}, the answer is 409 with \`error.count\` unless \`raise_existing\` says what to do.`,
    idempotent: true,
    query: raiseExisting,
    body: RuleCreate,
    success: { status: 201, schema: dataOf(RuleView) },
    errors: ['validation_error', 'bad_request', 'conflict'],
  },
  getRule: {
    ...toRead,
    method: 'GET',
    path: '/rules/{rule_id}',
    summary: 'Retrieve a rule',
    params: RulePath,
    success: { status: 200, schema: dataOf(RuleView) },
    errors: ['validation_error', 'not_found'],
  },
  updateRule: {
    ...toWrite,
    method: 'PATCH',
    path: '/rules/{rule_id}',
    summary: 'Change a rule, or switch it on or off',
    description:
      'What is left out stays. A change of `kind`, `scope`, `params` or `for_seconds`, and `enabled: true`, count as a new ' +
      'rule: open alerts are resolved, and what is true is raised again.',
    mediaTypes: ['application/merge-patch+json', 'application/json'],
    params: RulePath,
    query: raiseExisting,
    body: RuleUpdate,
    success: { status: 200, schema: dataOf(RuleView) },
    errors: ['validation_error', 'bad_request', 'not_found', 'conflict'],
  },
  deleteRule: {
    ...toWrite,
    method: 'DELETE',
    path: '/rules/{rule_id}',
    summary: 'Delete a rule',
    description: 'Its open alerts are resolved; alerts are kept.',
    params: RulePath,
    success: { status: 204 },
    errors: ['validation_error', 'not_found'],
  },
  testRule: {
    ...toWrite,
    method: 'POST',
    path: '/rules/{rule_id}/test',
    role: 'admin',
    summary: 'Send a test message to all that a rule tells',
    description: 'One mail to each address, and one message to each channel. No alert is raised.',
    params: RulePath,
    success: { status: 200, schema: dataOf(RuleTestResult) },
    errors: ['validation_error', 'not_found', 'rate_limited'],
  },
  previewRule: {
    ...toRead,
    method: 'POST',
    path: '/rules/preview',
    role: 'viewer',
    summary: 'Preview what a rule would have raised',
    description:
      `Nothing is stored. The past is the last 7 days, or \`from\` to \`to\`, at most ${LONGEST_PREVIEW_DAYS} days. If that is more than ` +
      'can be read in five seconds, `to` is `too_large`.',
    body: RulePreviewRequest,
    success: { status: 200, schema: dataOf(RulePreview) },
    errors: ['validation_error', 'bad_request', 'rate_limited'],
  },
} as const satisfies Record<string, Route>

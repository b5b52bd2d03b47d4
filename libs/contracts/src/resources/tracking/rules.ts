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

export const ruleProblems = ['scope_empty', 'too_many'] as const
export type RuleProblem = (typeof ruleProblems)[number]

export const MOST_RULES = 200
/** Open alerts of a rule. Beyond them, one alert about the rule itself. */
export const MOST_OPEN_ALERTS = 10_000
/** A new rule raises what is already true, but not more without being asked. */
export const MOST_EXISTING = 1_000
const MOST_IDS = 1_000
const MOST_SECONDS = 31_536_000
const LONGEST_FOR_SECONDS = 86_400

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
    asset_ids: Ids.optional(),
    asset_types: distinct(assetTypes).optional(),
    location_ids: Ids.optional(),
    include_descendants: z.boolean().optional(),
    reader_ids: Ids.optional(),
  })
  .meta({ id: 'RuleScopeInput' })

/** An empty list is no condition. An id that was deleted stays and matches nothing. */
export const RuleScope = z
  .object({
    asset_ids: z.array(Id),
    asset_types: z.array(openEnum(assetTypes)),
    location_ids: z.array(Id),
    include_descendants: z.boolean(),
    reader_ids: z.array(Id),
  })
  .meta({
    id: 'RuleScope',
    description: 'An empty list is no condition. An id that was deleted stays, and matches nothing.',
  })
export type RuleScope = z.infer<typeof RuleScope>

const ParamsInput = z
  .strictObject({
    seconds: seconds.nullable().optional(),
    time: TimeOfDay.nullable().optional(),
    resolve_after_seconds: resolveAfter.nullable().optional(),
  })
  .meta({ id: 'RuleParamsInput' })

/** Which of them belong to a kind: see `ruleRule`. */
export const RuleParams = z
  .object({
    seconds: z.int().optional(),
    time: z.string().optional(),
    resolve_after_seconds: z.int().optional(),
  })
  .meta({ id: 'RuleParams' })
export type RuleParams = z.infer<typeof RuleParams>

export const RuleSchedule = z.object({ days: z.array(z.int()), from: z.string(), to: z.string() }).meta({
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
  .strictObject({ days: WeekDays, from: TimeOfDay, to: TimeOfDay })
  .meta({ id: 'RuleScheduleInput' })

const ScheduleUpdate = z
  .strictObject({ days: WeekDays.optional(), from: TimeOfDay.optional(), to: TimeOfDay.optional() })
  .meta({ id: 'RuleScheduleUpdate' })

const NotifyInput = z.strictObject({ event: z.boolean().optional() }).meta({ id: 'RuleNotifyInput' })

export const RuleNotify = z
  .object({
    event: z.boolean().meta({ description: 'Whether `alert.raised` and `alert.resolved` are sent.' }),
  })
  .meta({ id: 'RuleNotify' })
export type RuleNotify = z.infer<typeof RuleNotify>

export const RuleView = z
  .object({
    id: Id,
    name: z.string(),
    kind: openEnum(ruleKinds),
    enabled: z.boolean(),
    severity: openEnum(severities),
    scope: RuleScope,
    params: RuleParams,
    for_seconds: z.int(),
    schedule: RuleSchedule.nullable(),
    notify: RuleNotify,
    problem: openEnum(
      ruleProblems,
      'Why the rule does not do all that it should; null if it does.',
    ).nullable(),
    open_alerts: z.int(),
    created_at: WireInstant,
    updated_at: WireInstant,
  })
  .meta({ id: 'Rule' })
export type RuleView = z.infer<typeof RuleView>

export const RuleCreate = z
  .strictObject({
    name: Name,
    kind: z.enum(ruleKinds),
    enabled: z.boolean().optional(),
    severity: z.enum(severities).optional(),
    scope: ScopeInput.optional(),
    params: ParamsInput.optional(),
    for_seconds: z.int().min(0).max(LONGEST_FOR_SECONDS).optional(),
    schedule: ScheduleInput.nullable().optional(),
    notify: NotifyInput.optional(),
  })
  .meta({
    id: 'RuleCreate',
    example: {
      name: 'Pallets that stay in Receiving',
      kind: 'stayed_longer_than',
      scope: { asset_types: ['inventory'], location_ids: [4503599627370498] },
      params: { seconds: 14_400 },
      schedule: { days: [1, 2, 3, 4, 5], from: '06:00', to: '22:00' },
    },
  })
export type RuleCreate = z.infer<typeof RuleCreate>

export const RuleUpdate = z
  .strictObject({
    name: NamePatch.optional(),
    kind: z.enum(ruleKinds).optional(),
    enabled: z.boolean().optional(),
    severity: z.enum(severities).optional(),
    scope: ScopeInput.optional(),
    params: ParamsInput.optional(),
    for_seconds: z.int().min(0).max(LONGEST_FOR_SECONDS).optional(),
    schedule: ScheduleUpdate.nullable().optional(),
    notify: NotifyInput.optional(),
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
  .meta({ id: 'AlertSubject' })
export type AlertSubject = z.infer<typeof AlertSubject>

export const AlertLocation = z
  .object({ id: Id, external_key: z.string(), name: z.string() })
  .meta({ id: 'AlertLocation' })

const PreviewedAlert = z
  .object({
    subject: AlertSubject,
    location: AlertLocation.nullable(),
    raised_at: WireInstant,
    resolved_at: WireInstant.nullable(),
    resolved_because: z.string().nullable(),
  })
  .meta({ id: 'PreviewedAlert' })

export const MOST_PREVIEWED_SUBJECTS = 50
export const MOST_PREVIEWED_ALERTS = 100
export const LONGEST_PREVIEW_DAYS = 30

export const RulePreview = z
  .object({
    now: z
      .object({
        count: z.int().meta({ description: 'What is true now, and would be raised at once.' }),
        subjects: z.array(AlertSubject),
      })
      .meta({ id: 'RulePreviewNow' }),
    past: z
      .object({
        count: z.int().meta({ description: 'Alerts that would have been raised.' }),
        alerts: z.array(PreviewedAlert),
      })
      .meta({ id: 'RulePreviewPast' })
      .nullable()
      .meta({ description: 'Null for `reader_silent`, of which no past is kept.' }),
  })
  .meta({ id: 'RulePreview' })
export type RulePreview = z.infer<typeof RulePreview>

const RulePreviewRequest = z
  .strictObject({ rule: RuleCreate, from: Instant.optional(), to: Instant.optional() })
  .meta({
    id: 'RulePreviewRequest',
    example: {
      rule: {
        name: 'Left the yard',
        kind: 'left',
        scope: { location_ids: [4503599627370498] },
      },
    },
  })

export const RulesQuery = z.strictObject({
  ...page,
  kind: enumParameters(ruleKinds).optional(),
  enabled: booleanParameter.optional(),
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

const RulePath = z.strictObject({ rule_id: pathId })
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

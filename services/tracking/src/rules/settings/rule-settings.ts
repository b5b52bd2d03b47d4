import type { FieldEntry } from '@whereabouts/contracts/errors'
import {
  placeKinds,
  type RuleCreate,
  type RuleKind,
  type RuleParams,
  type RuleSchedule,
  type RuleScope,
  type RuleUpdate,
  type Severity,
} from '@whereabouts/contracts/resources/rules/rules'
import { NOTIFY_DEFAULTS, type StoredNotify } from './stored-notify.ts'

/** What people set of a rule. */
export type RuleSettings = {
  name: string
  kind: RuleKind
  enabled: boolean
  severity: Severity
  scope: RuleScope
  params: RuleParams
  for_seconds: number
  schedule: RuleSchedule | null
  notify: StoredNotify
}

const EVERYTHING: RuleScope = {
  asset_ids: [],
  asset_types: [],
  metadata: {},
  location_ids: [],
  include_descendants: true,
  reader_ids: [],
}

/** `notify`: as it was resolved. */
export const newSettings = (body: RuleCreate, notify: Partial<StoredNotify> = {}): RuleSettings => ({
  name: body.name,
  kind: body.kind,
  enabled: body.enabled ?? true,
  severity: body.severity ?? 'warning',
  scope: mergeScope(EVERYTHING, body.scope),
  params: present(body.params),
  for_seconds: body.for_seconds ?? 0,
  schedule: body.schedule ?? null,
  notify: { ...NOTIFY_DEFAULTS, ...notify },
})

/** A merge patch: what is absent stays, and null removes. `notify`: as it was resolved. */
export function mergeSettings(
  stored: RuleSettings,
  body: RuleUpdate,
  notify: Partial<StoredNotify> = {},
): RuleSettings {
  const { schedule } = body
  return {
    name: body.name ?? stored.name,
    kind: body.kind ?? stored.kind,
    enabled: body.enabled ?? stored.enabled,
    severity: body.severity ?? stored.severity,
    scope: mergeScope(stored.scope, body.scope),
    params: present({ ...stored.params, ...body.params }),
    for_seconds: body.for_seconds ?? stored.for_seconds,
    schedule:
      schedule === undefined
        ? stored.schedule
        : schedule && { days: [], from: '', to: '', ...stored.schedule, ...present(schedule) },
    notify: { ...stored.notify, ...notify },
  }
}

function mergeScope(stored: RuleScope, sent: RuleUpdate['scope']): RuleScope {
  const { metadata, ...others } = sent ?? {}
  return {
    ...stored,
    ...present(others),
    metadata: present({ ...stored.metadata, ...metadata }) as RuleScope['metadata'],
  }
}

type Present<T> = { [K in keyof T]?: NonNullable<T[K]> }

/** Without members that are null or undefined. */
const present = <T extends object>(value: T | undefined): Present<T> =>
  Object.fromEntries(
    Object.entries(value ?? {}).filter(([, member]) => member !== undefined && member !== null),
  ) as Present<T>

const required = (field: string): FieldEntry => ({ field, code: 'required', message: `${field} is required` })
const outOfContext = (field: string, why: string): FieldEntry => ({
  field,
  code: 'invalid_context',
  message: `${field} ${why}`,
})

const PARAMS = ['seconds', 'time', 'resolve_after_seconds'] as const
/** `!`: needed. */
const PARAMS_OF: Record<RuleKind, Partial<Record<(typeof PARAMS)[number], '!' | '?'>>> = {
  entered: { resolve_after_seconds: '?' },
  left: { resolve_after_seconds: '?' },
  not_seen_for: { seconds: '!' },
  stayed_longer_than: { seconds: '!' },
  missing_at: { time: '!' },
  away_from_home: {},
  reader_silent: { seconds: '?' },
}

/** What makes no sense together. */
export function settingProblems({ kind, scope, params, schedule }: RuleSettings): FieldEntry[] {
  const wanted = PARAMS_OF[kind]
  const ofParams = PARAMS.flatMap((name) => {
    if (params[name] === undefined) return wanted[name] === '!' ? [required(`params.${name}`)] : []
    return wanted[name] === undefined ? [outOfContext(`params.${name}`, `is not for ${kind}`)] : []
  })
  const ofScope =
    kind === 'reader_silent'
      ? (['asset_ids', 'asset_types', 'location_ids'] as const)
          .flatMap((name) =>
            scope[name].length > 0 ? [outOfContext(`scope.${name}`, 'is not for reader_silent')] : [],
          )
          .concat(
            Object.keys(scope.metadata).length > 0
              ? [outOfContext('scope.metadata', 'is not for reader_silent')]
              : [],
          )
      : [
          ...(scope.reader_ids.length > 0
            ? [outOfContext('scope.reader_ids', 'is for reader_silent alone')]
            : []),
          ...(placeKinds.has(kind) && scope.location_ids.length === 0
            ? [required('scope.location_ids')]
            : []),
        ]
  return [...ofScope, ...ofParams, ...scheduleProblems(schedule)]
}

function scheduleProblems(schedule: RuleSchedule | null): FieldEntry[] {
  if (!schedule) return []
  const missing = [
    ...(schedule.days.length === 0 ? [required('schedule.days')] : []),
    ...(schedule.from === '' ? [required('schedule.from')] : []),
    ...(schedule.to === '' ? [required('schedule.to')] : []),
  ]
  if (missing.length > 0 || schedule.from !== schedule.to) return missing
  return [
    { field: 'schedule.to', code: 'invalid_value', message: 'schedule.to must differ from schedule.from' },
  ]
}

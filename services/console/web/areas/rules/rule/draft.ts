import { atMost, type Checks, problemsIn } from '../../../parts/form/checks.ts'
import type { Picked } from '../../../parts/form/search-select.tsx'
import type { components } from '@whereabouts/client/client'
import { type Duration, durationOf, durationProblem, secondsOf } from '../words/durations.ts'
import { type Having, havingOf, havingProblem, metadataOf } from '../words/having.ts'
import { cleaned } from '../words/notify.ts'
import { type Schedule, scheduleChecks } from '../words/schedules.ts'
import { type NameOf, proposedName, type Rule, type Statement } from '../words/sentence.ts'

export type RuleBody = components['schemas']['RuleCreate']

/** Whom a rule is about, as people choose it. */
export type Who = 'any' | 'types' | 'assets' | 'any_reader' | 'readers'

/** What the form shows. Times are as typed. */
export type Draft = {
  who: Who
  assets: readonly Picked[]
  assetTypes: readonly string[]
  having: readonly Having[]
  readers: readonly Picked[]
  kind: string
  locations: readonly Picked[]
  includesInside: boolean
  /** Of the kinds that have one. Null for a reader: its usual pauses. */
  seconds: Duration | null
  time: string
  /** Null: the opposite alone resolves the alert. */
  resolves: Duration | null
  /** Null: the condition need not hold. */
  holds: Duration | null
  schedule: Schedule | null
  severity: string
  notify: Rule['notify']
  /** Null until a person types one: then it follows the sentence. */
  name: string | null
}

const USUAL: Duration = { amount: '4', unit: 'hours' }
const MIN_SECONDS = 60
const MAX_SECONDS = 31_536_000
const MAX_HELD = 86_400
const MAX_RESOLVES = 2_592_000

export const needsPlaces = (kind: string): boolean =>
  ['entered', 'left', 'stayed_longer_than', 'missing_at'].includes(kind)
export const isOfMoves = (kind: string): boolean => kind === 'entered' || kind === 'left'
const hasSeconds = (kind: string) => ['not_seen_for', 'stayed_longer_than', 'reader_silent'].includes(kind)

export const NEW_RULE: Draft = {
  who: 'any',
  assets: [],
  assetTypes: [],
  having: [],
  readers: [],
  kind: 'stayed_longer_than',
  locations: [],
  includesInside: true,
  seconds: USUAL,
  time: '08:00',
  resolves: null,
  holds: null,
  schedule: null,
  severity: 'warning',
  notify: { event: true, email: [], chat: [], remind_minutes: null },
  name: null,
}

/** Chosen subjects decide what can happen to them: readers are silent, and assets are not. */
export function withWho(draft: Draft, who: Who): Draft {
  const isReader = who === 'any_reader' || who === 'readers'
  const wasReader = draft.kind === 'reader_silent'
  return {
    ...draft,
    who,
    assetTypes: who === 'types' ? draft.assetTypes : [],
    ...(isReader !== wasReader && {
      kind: isReader ? 'reader_silent' : NEW_RULE.kind,
      seconds: isReader ? null : USUAL,
    }),
  }
}

/** `picked` finds what the rule names, as it is called now. */
export function draftOf(rule: Rule, picked: (thing: Parameters<NameOf>[0], id: number) => Picked): Draft {
  const { kind, scope, params } = rule
  const draft: Draft = {
    who: whoOf(rule),
    assets: scope.asset_ids.map((id) => picked('asset', id)),
    assetTypes: scope.asset_types,
    having: havingOf(scope.metadata),
    readers: scope.reader_ids.map((id) => picked('reader', id)),
    kind,
    locations: scope.location_ids.map((id) => picked('location', id)),
    includesInside: scope.include_descendants,
    seconds:
      params.seconds !== undefined
        ? durationOf(params.seconds)
        : kind === 'reader_silent'
          ? null
          : NEW_RULE.seconds,
    time: params.time ?? NEW_RULE.time,
    resolves: params.resolve_after_seconds === undefined ? null : durationOf(params.resolve_after_seconds),
    holds: rule.for_seconds === 0 ? null : durationOf(rule.for_seconds),
    schedule: rule.schedule,
    severity: rule.severity,
    notify: rule.notify,
    name: null,
  }
  return nameOfDraft(draft) === rule.name ? draft : { ...draft, name: rule.name }
}

function whoOf({ kind, scope }: Rule): Who {
  if (kind === 'reader_silent') return scope.reader_ids.length === 0 ? 'any_reader' : 'readers'
  if (scope.asset_ids.length > 0) return 'assets'
  return scope.asset_types.length > 0 ? 'types' : 'any'
}

/** What the sentence says. What is missing is left out. */
export function statementOf(draft: Draft): Statement {
  const { who, kind } = draft
  const isReader = kind === 'reader_silent'
  const seconds = hasSeconds(kind) && draft.seconds ? secondsOf(draft.seconds) : undefined
  const resolves = isOfMoves(kind) && draft.resolves ? secondsOf(draft.resolves) : undefined
  return {
    kind,
    scope: {
      asset_ids: who === 'assets' ? idsOf(draft.assets) : [],
      asset_types: who === 'types' || who === 'assets' ? [...draft.assetTypes] : [],
      metadata: isReader ? {} : metadataOf(draft.having),
      location_ids: isReader ? [] : idsOf(draft.locations),
      include_descendants: draft.includesInside,
      reader_ids: who === 'readers' ? idsOf(draft.readers) : [],
    },
    params: {
      ...(seconds !== undefined && { seconds }),
      ...(kind === 'missing_at' && draft.time !== '' && { time: draft.time }),
      ...(resolves !== undefined && { resolve_after_seconds: resolves }),
    },
    for_seconds: (draft.holds && secondsOf(draft.holds)) ?? 0,
    schedule: draft.schedule,
  }
}

const idsOf = (picked: readonly Picked[]) => picked.map(({ id }) => id)

/** How the form calls what was picked. */
export const namesIn =
  ({ assets, locations, readers }: Draft): NameOf =>
  (thing, id) =>
    ({ asset: assets, location: locations, reader: readers })[thing].find((one) => one.id === id)?.name

export const nameOfDraft = (draft: Draft): string =>
  draft.name ?? proposedName(statementOf(draft), namesIn(draft))

/** Problems by field of the API. Without one, the sentence is complete. */
export function checksOf(draft: Draft): Checks {
  const { who, kind, seconds, resolves, holds } = draft
  return {
    'scope.asset_ids': who === 'assets' && draft.assets.length === 0 ? 'Choose an asset.' : undefined,
    'scope.asset_types': who === 'types' && draft.assetTypes.length === 0 ? 'Choose a type.' : undefined,
    'scope.metadata': kind === 'reader_silent' ? undefined : havingProblem(draft.having),
    'scope.reader_ids': who === 'readers' && draft.readers.length === 0 ? 'Choose a reader.' : undefined,
    'scope.location_ids':
      needsPlaces(kind) && draft.locations.length === 0 ? 'Choose a location.' : undefined,
    'params.seconds':
      hasSeconds(kind) && seconds ? durationProblem(seconds, MIN_SECONDS, MAX_SECONDS) : undefined,
    'params.time': kind === 'missing_at' && draft.time === '' ? 'Enter a time such as 08:00.' : undefined,
    'params.resolve_after_seconds':
      isOfMoves(kind) && resolves ? durationProblem(resolves, MIN_SECONDS, MAX_RESOLVES) : undefined,
    for_seconds: holds ? durationProblem(holds, 1, MAX_HELD) : undefined,
    ...scheduleChecks(draft.schedule),
    name: nameOfDraft(draft).trim() === '' ? 'Fill in this field.' : atMost(nameOfDraft(draft).trim(), 255),
  }
}

/** Whether the sentence is complete, so that it can be previewed. */
export const isComplete = (draft: Draft): boolean =>
  Object.keys(problemsIn({ ...checksOf(draft), name: undefined })).length === 0

/** As the API takes it. Values of a newer API stay as they are. */
export const bodyOf = (draft: Draft): RuleBody => ({
  ...(statementOf(draft) as Statement & Pick<RuleBody, 'kind' | 'scope'>),
  name: nameOfDraft(draft).trim(),
  severity: draft.severity as NonNullable<RuleBody['severity']>,
  notify: cleaned(draft.notify) as NonNullable<RuleBody['notify']>,
})

/** Only what a person changed: a change of another tab stays, and an unchanged sentence does not count as a new rule. */
export function changesOf(before: Draft, after: Draft): components['schemas']['RuleUpdate'] {
  const [old, next] = [bodyOf(before), bodyOf(after)]
  const changed = Object.entries(next).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(old[key as keyof RuleBody]),
  )
  const { params, scope, ...body }: Partial<RuleBody> = Object.fromEntries(changed)
  return {
    ...body,
    ...(params && { params: { ...goneFrom(old.params), ...params } }),
    ...(scope && { scope: { ...scope, metadata: { ...goneFrom(old.scope?.metadata), ...scope.metadata } } }),
  }
}

/** A change merges: what is not sent would stay. */
const goneFrom = (before: object = {}): Record<string, null> =>
  Object.fromEntries(Object.keys(before).map((name) => [name, null]))

import type { components } from '@whereabouts/client/client'
import { assetTypeOf } from '../../../parts/things/asset-types.ts'
import { wordsFor } from '../../../parts/things/known.ts'
import { durationWords } from './durations.ts'
import { scheduleWords } from './schedules.ts'

type Schemas = components['schemas']
export type Rule = Schemas['Rule']
type Kind = Schemas['RuleCreate']['kind']

/** What of a rule its sentence says. */
export type Statement = Pick<Rule, 'kind' | 'scope' | 'params' | 'for_seconds' | 'schedule'>
type Thing = 'asset' | 'location' | 'reader'
/** How a thing is called; undefined if it was deleted or is not known. */
export type NameOf = (thing: Thing, id: number) => string | undefined

/** Stands for what is not chosen yet. */
const BLANK = '…'
/** How many a sentence names. */
export const NAMED = 2

/** `Tell me when any person stays in Receiving longer than 4 hours, on weekdays.` */
export function sentenceOf(rule: Statement, nameOf: NameOf): string {
  const { for_seconds: held } = rule
  const conditions = [
    held > 0 ? `if it holds for ${durationWords(held)}` : '',
    scheduleWords(rule.schedule),
  ].filter((each) => each !== '')
  return `Tell me when ${[coreOf(rule, nameOf), ...conditions].join(', ')}.`
}

/** The name that the rule gets unless a person types one. */
export function proposedName(rule: Statement, nameOf: NameOf): string {
  const core = coreOf(rule, nameOf)
  return Array.from(core.charAt(0).toUpperCase() + core.slice(1))
    .slice(0, 255)
    .join('')
    .trim()
}

/** Subject and verb, and its times. */
function coreOf({ kind, scope, params }: Statement, nameOf: NameOf): string {
  const named = (thing: Thing, ids: readonly number[]) => someOf(ids, thing, nameOf)
  const places = scope.location_ids.length === 0 ? undefined : named('location', scope.location_ids)
  const inside = places !== undefined && !scope.include_descendants ? `${places} itself` : places
  const where = inside === undefined ? '' : ` in ${inside}`
  const time = params.seconds === undefined ? BLANK : durationWords(params.seconds)
  const reader = scope.reader_ids.length === 0 ? 'any reader' : named('reader', scope.reader_ids)
  const said: Readonly<Record<Kind, string>> = {
    entered: `enters ${inside ?? BLANK}`,
    left: `leaves ${inside ?? BLANK}`,
    stayed_longer_than: `stays in ${inside ?? BLANK} longer than ${time}`,
    missing_at: `is not in ${inside ?? BLANK} at ${params.time || BLANK}`,
    not_seen_for: `${where === '' ? 'is' : `was last${where} and is`} not seen for ${time}`,
    away_from_home: `is away from its home${where}`,
    reader_silent: `is silent ${params.seconds === undefined ? 'longer than usual' : `for ${time}`}`,
  }
  const subject = kind === 'reader_silent' ? reader : subjectOf(scope, nameOf)
  return `${subject} ${wordsFor(said, kind) ?? kind.replaceAll('_', ' ')}`
}

function subjectOf(scope: Rule['scope'], nameOf: NameOf): string {
  const having = Object.entries(scope.metadata).map(([name, value]) => `${name} ${String(value)}`)
  const subject = assetsOf(scope, nameOf)
  return having.length === 0 ? subject : `${subject} with ${together.format(having)}`
}
const together = new Intl.ListFormat('en', { type: 'conjunction' })

function assetsOf({ asset_ids: ids, asset_types: types }: Rule['scope'], nameOf: NameOf): string {
  const kinds = types.map((type) => assetTypeOf(type).label.toLowerCase())
  if (ids.length === 0) return kinds.length === 0 ? 'any asset' : `any ${alternatives.format(kinds)}`
  const named = someOf(ids, 'asset', nameOf)
  return kinds.length === 0 ? named : `${named} (${alternatives.format(kinds)})`
}

const alternatives = new Intl.ListFormat('en', { type: 'disjunction' })

/** Names of one or two; more are counted. */
const someOf = (ids: readonly number[], thing: Thing, nameOf: NameOf): string =>
  ids.length > NAMED
    ? `one of ${ids.length} ${thing}s`
    : alternatives.format(ids.map((id) => nameOf(thing, id) ?? `a deleted ${thing}`))

import type { components, paths } from '@whereabouts/client/client'
import { wordsFor } from '../things/known.ts'

export type Alert = components['schemas']['Alert']
type Query = NonNullable<paths['/api/v1/alerts']['get']['parameters']['query']>
export type AlertQuery = Query
export type KnownSeverity = NonNullable<Query['severity']>[number]
export type KnownAlertState = NonNullable<Query['state']>[number]

/** The worst first. */
export const SEVERITIES = ['critical', 'warning', 'info'] as const satisfies readonly KnownSeverity[]
const SEVERITY: Readonly<Record<KnownSeverity, readonly [color: string, text: string]>> = {
  critical: ['red', 'Critical'],
  warning: ['yellow', 'Warning'],
  info: ['blue', 'Info'],
}
/** Its color and its word. A severity of a newer API has its own word. */
export const severityOf = (severity: string) => wordsFor(SEVERITY, severity) ?? (['gray', severity] as const)

const STATE: Readonly<Record<KnownAlertState, string>> = {
  raised: 'Raised',
  acknowledged: 'Acknowledged',
  resolved: 'Resolved',
}
export const stateText = (state: string): string => wordsFor(STATE, state) ?? state

/** Not over. */
export const OPEN: readonly KnownAlertState[] = ['raised', 'acknowledged']

/** The worst severity among some alerts. Undefined for none, and where all are of a newer API. */
export const worstOf = (alerts: readonly { rule: { severity: string } }[]): KnownSeverity | undefined =>
  SEVERITIES.find((severity) => alerts.some(({ rule }) => rule.severity === severity))

/** What raised alerts come to. `worst` is of all, and `newest` are some. */
export type Raised = { count: number; worst: KnownSeverity | undefined; newest: readonly Alert[] }

type Load = (query: { limit: number; severity?: KnownSeverity[] }) => Promise<{
  data: readonly Alert[]
  total_count: number
}>

const NEWEST = 5

/** The newest, and the worst of all: where there are more, one request for each severity above those of the newest. */
export async function raisedOf(load: Load): Promise<Raised> {
  const { data: newest, total_count: count } = await load({ limit: NEWEST })
  const known = worstOf(newest)
  const worse = known === undefined ? SEVERITIES : SEVERITIES.slice(0, SEVERITIES.indexOf(known))
  if (count > newest.length)
    for (const severity of worse) {
      const { total_count: found } = await load({ limit: 1, severity: [severity] })
      if (found > 0) return { count, worst: severity, newest }
    }
  return { count, worst: known, newest }
}

/** A number that is older may not be true any more. The page asks again after a third of it. */
export const STALE_MS = 45_000

type Known = { dataUpdatedAt: number; isError: boolean; fetchStatus: string }

/** Whether what is known may be out of date: it is old, as after a sleep, or the last request failed, or waits for a network. */
export const isStale = ({ dataUpdatedAt, isError, fetchStatus }: Known, now: number): boolean =>
  isError || fetchStatus === 'paused' || now - dataUpdatedAt > STALE_MS

/** What the bell says aloud. */
export function bellText(raised: Raised | undefined, stale: boolean): string {
  if (!raised) return stale ? 'Alerts: could not be loaded' : 'Alerts'
  const { count, worst } = raised
  const text = count === 1 ? '1 alert' : `${count === 0 ? 'No' : bellNumber(count)} alerts`
  const worstText = worst === undefined ? '' : `, ${count === 1 ? '' : 'worst: '}${severityOf(worst)[1]}`
  return `${text}${worstText}${stale ? ', may be out of date' : ''}`
}

/** More does not fit on a bell, whose name has to have the text that it shows. */
export const bellNumber = (count: number): string => (count > 99 ? '99+' : String(count))

type Because = 'condition' | 'timeout' | 'rule_changed' | 'rule_disabled' | 'rule_deleted' | 'subject_deleted'
const BECAUSE: Readonly<Record<Because, string>> = {
  condition: 'Its condition does not hold any more.',
  timeout: 'The time of the rule for it has passed.',
  rule_changed: 'The rule was changed.',
  rule_disabled: 'The rule was switched off.',
  rule_deleted: 'The rule was deleted.',
  subject_deleted: 'What it is about was deleted.',
}

/** Why it is over, as a sentence. */
export const becauseText = (because: string | null): string =>
  because === null ? '' : (wordsFor(BECAUSE, because) ?? because)

/** Who took note of it: a name, or what kind of caller. */
export const byText = ({ acknowledged_by: by }: Pick<Alert, 'acknowledged_by'>): string =>
  by?.name ?? (by?.type === 'key' ? 'an API key' : 'somebody')

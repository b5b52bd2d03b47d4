import type { AlertNotice } from '@whereabouts/contracts/messages/alerts/alert-notices'
import { epochMs } from '@whereabouts/contracts/rules/instant'
import type { RuleKind } from '@whereabouts/contracts/resources/rules/rules'
import { wallTimeAt } from '../../formats/zones.ts'

/** An alert as a line needs it. */
export type ToldAlert = {
  subject_type: 'asset' | 'reader' | 'rule'
  subject_key: string | null
  subject_name: string | null
  location_name: string | null
  raised_at: string
  resolved_at: string | null
}

/** What a notice is about: alerts that nobody was told of yet, and some to remind of. Each list may be cut. */
export type Told = { alerts: readonly ToldAlert[]; count: number }

export const MOST_LINES = 50

type About = { rule: { id: number; name: string; kind: RuleKind; severity: string }; zone: string }

/** What people read of alerts of a rule. `isLast`: the last one of the day. */
export function noticeOf(
  { rule, zone }: About,
  { raised, reminded, isLast }: { raised: Told; reminded: Told; isLast: boolean },
): AlertNotice {
  const lines = [
    ...raised.alerts.map((alert) => lineOf(rule.kind, alert, zone)),
    ...reminded.alerts.map((alert) => `still open: ${lineOf(rule.kind, alert, zone)}`),
  ].slice(0, MOST_LINES)
  const count = raised.count + reminded.count
  const more = count - lines.length
  const what = raised.count > 0 ? capitalized(rule.severity) : 'Still open'
  return {
    rule: { id: rule.id, name: rule.name },
    severity: rule.severity,
    title: `${what}: ${rule.name}${count > 1 ? ` (${count} alerts)` : ''}`,
    lines,
    notes: [
      ...(more > 0 ? [`And ${more} more.`] : []),
      ...(reminded.count > 0 ? ['Nobody has acknowledged what is still open.'] : []),
      ...(isLast
        ? ['This is the last message of today about this rule. Alerts are raised as before: see the console.']
        : []),
    ],
  }
}

export const testNoticeOf = ({ id, name, severity }: About['rule']): AlertNotice => ({
  rule: { id, name },
  severity,
  title: `Test: ${name}`,
  lines: [],
  notes: ['This is a test. Alerts of this rule will reach you in this way.'],
})

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const DID: Record<RuleKind, (place: string | null) => string> = {
  entered: (place) => `entered ${place ?? 'one of the places'}`,
  left: (place) => `left ${place ?? 'one of the places'}`,
  stayed_longer_than: (place) => `stayed too long${at(place)}`,
  missing_at: (place) => `is missing${place === null ? '' : `; it is in ${place}`}`,
  not_seen_for: (place) => `was not seen for too long${place === null ? '' : `; last in ${place}`}`,
  away_from_home: (place) => `is away from home${at(place)}`,
  reader_silent: () => 'is silent',
}
const at = (place: string | null) => (place === null ? '' : ` in ${place}`)

function lineOf(kind: RuleKind, alert: ToldAlert, zone: string): string {
  const { subject_type, subject_key: key, subject_name, location_name, raised_at, resolved_at } = alert
  const when = localTime(raised_at, zone)
  if (subject_type === 'rule') return `${when} The rule has too many open alerts. Further ones wait.`
  const name = subject_name || (key ?? 'Something that was deleted')
  const who = key === null || key === name ? name : `${name} (${key})`
  const over = resolved_at === null ? '' : `, over at ${localTime(resolved_at, zone)}`
  return `${when} ${who} ${DID[kind](location_name)}${over}`
}

/** `2026-11-21 14:05`, as a clock of the organization shows it. */
const localTime = (instant: string, zone: string): string =>
  new Date(wallTimeAt(epochMs(instant), zone)).toISOString().slice(0, 16).replace('T', ' ')

import { type AlertQuery, OPEN, SEVERITIES } from '../../../parts/alerts/alert-text.ts'
import { fromLocalInput } from '../../../parts/time/local-time.ts'

/**
 * As in the address. `location`: one id, or some with commas between them. `reader`: of a link from its page. `from` and `to`
 * are local times.
 */
export const DEFAULTS = {
  state: 'open',
  severity: '',
  rule: '',
  asset: '',
  location: '',
  reader: '',
  from: '',
  to: '',
  offset: '0',
}
export type Filter = typeof DEFAULTS

export const STATES = [
  { value: 'open', label: 'Open' },
  { value: 'raised', label: 'Raised' },
  { value: 'acknowledged', label: 'Acknowledged' },
  { value: 'resolved', label: 'Resolved' },
  { value: 'all', label: 'All' },
] as const

/** The ids of a value of the address. What cannot be an id is left out. */
export const idsOf = (text: string): number[] =>
  text.split(',').flatMap((id) => (/^[1-9]\d{0,15}$/.test(id) ? [Number(id)] : []))

/** The filter as the API takes it. */
export function queryOf(filter: Filter): AlertQuery {
  const [from, to] = [fromLocalInput(filter.from), fromLocalInput(filter.to)]
  const state = STATES.find(({ value }) => value === filter.state)?.value ?? 'open'
  const severity = SEVERITIES.filter((each) => each === filter.severity)
  const ids = {
    rule_id: filter.rule,
    asset_id: filter.asset,
    location_id: filter.location,
    reader_id: filter.reader,
  }
  return {
    ...(state !== 'all' && { state: state === 'open' ? [...OPEN] : [state] }),
    ...(severity.length > 0 && { severity }),
    ...Object.fromEntries(
      Object.entries(ids).flatMap(([name, text]) => (idsOf(text).length > 0 ? [[name, idsOf(text)]] : [])),
    ),
    ...(from !== null && { from }),
    ...(to !== null && { to }),
  }
}

/** Whether it asks for more than what is open now. */
export const isFiltered = (filter: Filter): boolean =>
  Object.entries(DEFAULTS).some(
    ([name, value]) => name !== 'offset' && filter[name as keyof Filter] !== value,
  )

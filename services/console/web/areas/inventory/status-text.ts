import { countText } from '../../parts/table/count-text.ts'
import { type Added, MAX_VALUES } from './draft.ts'
import type { Match } from '../../parts/load/lookups.ts'
import { type Row, valuesOf } from './rows.ts'
import { shownValue } from '../../parts/things/tag-values.ts'

/** The values that were added last. */
export type LastEntry = Pick<Added, 'added' | 'repeated'> & {
  values: readonly string[]
  leftOut: number
}

/** What became of the values that were added last. */
export function statusText(last: LastEntry | undefined, rows: readonly Row[]): string {
  if (!last) return ''
  const [value, second] = last.values
  if (value === undefined || second !== undefined || last.leftOut > 0) return countsText(last)
  const row = rows.find((each) => valuesOf(each).includes(value))
  return row ? rowText(row, shownValue(value), last.repeated > 0) : ''
}

function countsText({ added, repeated, leftOut }: LastEntry): string {
  const parts = [
    `${countText(added, 'values')} added.`,
    ...(repeated > 0 ? [`${countText(repeated, 'values')} already in the list.`] : []),
    ...(leftOut > 0 ? [leftOutText(leftOut)] : []),
  ]
  return parts.join(' ')
}

const leftOutText = (leftOut: number) =>
  `${countText(leftOut, 'values')} not added: the list holds at most ${new Intl.NumberFormat().format(MAX_VALUES)}. ` +
  'Save it, then add the rest.'

function rowText(row: Row, value: string, isRepeated: boolean): string {
  if (isRepeated) return `${row.kind === 'asset' ? titleOf(row.asset) : value} is already in the list.`
  if (row.kind === 'unchecked') return `${value} added. Not checked yet.`
  if (row.kind === 'unknown') return `Nothing has the key or tag ${value}. It stays in the list.`
  if (row.kind === 'ambiguous') return `${value} names more than one thing. Choose one in the list.`
  if (row.kind === 'location') return `${value} is the location ${titleOf(row.location)}.`
  if (row.values.length === 1) return `${titleOf(row.asset)} added.`
  return `${titleOf(row.asset)} is already in the list. It counts once.`
}

/** The name first, then the key. */
export const titleOf = ({ name, external_key }: Pick<Match, 'name' | 'external_key'>): string =>
  `${name} (${external_key})`

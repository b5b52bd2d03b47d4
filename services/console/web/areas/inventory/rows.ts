import type { Draft } from './draft.ts'
import type { Found, Match } from '../../parts/load/lookups.ts'

/** A row of the list. An asset that was scanned by several of its names is one row. */
export type Row =
  | { kind: 'asset'; asset: Match; values: readonly string[] }
  | { kind: 'ambiguous'; value: string; matches: readonly Match[] }
  | { kind: 'location'; value: string; location: Match }
  | { kind: 'unknown'; value: string }
  | { kind: 'unchecked'; value: string }

export type AssetRow = Extract<Row, { kind: 'asset' }>

/** In the order of the draft. An asset is at the place of its newest value. */
export function rowsOf({ values, chosen }: Draft, found: Found): Row[] {
  const assetIds = new Map(chosen.map(({ value, assetId }) => [value, assetId]))
  const rows = new Map<string, Row>()
  for (const value of values) {
    const row = rowOf(value, found.get(value), assetIds.get(value))
    const name = row.kind === 'asset' ? `asset ${row.asset.id}` : `value ${value}`
    const newer = rows.get(name)
    rows.set(name, newer?.kind === 'asset' ? { ...newer, values: [...newer.values, value] } : row)
  }
  return [...rows.values()]
}

function rowOf(value: string, matches: readonly Match[] | undefined, assetId: number | undefined): Row {
  if (matches === undefined) return { kind: 'unchecked', value }
  const chosen = matches.find(({ type, id }) => type === 'asset' && id === assetId)
  if (chosen) return { kind: 'asset', asset: chosen, values: [value] }
  const [only, second] = matches
  if (only === undefined) return { kind: 'unknown', value }
  if (second !== undefined) return { kind: 'ambiguous', value, matches }
  return only.type === 'asset'
    ? { kind: 'asset', asset: only, values: [value] }
    : { kind: 'location', value, location: only }
}

export const isAsset = (row: Row): row is AssetRow => row.kind === 'asset'

export const valuesOf = (row: Row): readonly string[] => (row.kind === 'asset' ? row.values : [row.value])

/** Whether the person must do something about a row. */
export const isProblem = ({ kind }: Row): boolean => kind !== 'asset' && kind !== 'unchecked'

/** Problems first, because only the first rows of a long list are shown. */
export const problemsFirst = (rows: readonly Row[]): Row[] => [
  ...rows.filter(isProblem),
  ...rows.filter((row) => !isProblem(row)),
]

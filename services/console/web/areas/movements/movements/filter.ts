import { fromLocalInput } from '../../../parts/time/local-time.ts'

type AssetType = 'asset' | 'person' | 'inventory'

export const SPANS = [
  { value: '10', label: '10 min' },
  { value: '60', label: '1 h' },
  { value: '1440', label: '24 h' },
  { value: 'own', label: 'From, to' },
] as const

export const TYPES: readonly AssetType[] = ['asset', 'person', 'inventory']

/**
 * As in the address. `from` and `to` are local times, for the span `own`. `type`: some types with commas between them.
 * `whole`: what `from` and `to` are a part of, a span or its own start and end with a slash between them.
 */
export const DEFAULTS = {
  span: '60',
  from: '',
  to: '',
  whole: '',
  location: '',
  asset: '',
  type: '',
  inside: 'yes',
}
export type Filter = typeof DEFAULTS

/** The filter as the API takes it. A span of minutes ends now. */
export function queryOf(filter: Filter, nowMs: number) {
  const { span, from, to } = filter
  const first = span === 'own' ? fromLocalInput(from) : new Date(nowMs - Number(span) * 60_000).toISOString()
  const last = span === 'own' ? fromLocalInput(to) : null
  return { ...(first !== null && { from: first }), ...(last !== null && { to: last }), ...subjectOf(filter) }
}

/** What moved, and where. */
export function subjectOf({ location, asset, type, inside }: Filter) {
  const types = TYPES.filter((one) => type.split(',').includes(one))
  return {
    ...(asset !== '' && { asset_id: [Number(asset)] }),
    ...(types.length > 0 && types.length < TYPES.length && { type: types }),
    ...(location !== '' && { location_id: [Number(location)], include_descendants: inside === 'yes' }),
  }
}

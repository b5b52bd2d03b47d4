import { fromLocalInput } from '../../parts/local-time.ts'

export const SPANS = [
  { value: '10', label: '10 min' },
  { value: '60', label: '1 h' },
  { value: '1440', label: '24 h' },
  { value: 'own', label: 'From, to' },
] as const

/** As in the address. `from` and `to` are local times, for the span `own`. */
export const DEFAULTS = { span: '60', from: '', to: '', location: '', asset: '', inside: 'yes' }
export type Filter = typeof DEFAULTS

/** The filter as the API takes it. A span of minutes ends now. */
export function queryOf({ span, from, to, location, asset, inside }: Filter, nowMs: number) {
  const first = span === 'own' ? fromLocalInput(from) : new Date(nowMs - Number(span) * 60_000).toISOString()
  const last = span === 'own' ? fromLocalInput(to) : null
  return {
    ...(first !== null && { from: first }),
    ...(last !== null && { to: last }),
    ...(asset !== '' && { asset_id: [Number(asset)] }),
    ...(location !== '' && { location_id: [Number(location)], include_descendants: inside === 'yes' }),
  }
}

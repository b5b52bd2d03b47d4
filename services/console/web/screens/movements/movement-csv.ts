import type { Movement } from './use-movements.ts'

const HEAD = ['occurred_at', 'asset', 'asset_name', 'from', 'from_name', 'to', 'to_name', 'dwell_seconds']

/** For spreadsheets: one line per movement. */
export function csvOf(rows: readonly Movement[]): string {
  const lines = rows.map(({ occurred_at, asset, from_location: from, to_location: to, dwell_seconds }) =>
    [
      occurred_at,
      asset.external_key,
      asset.name,
      from?.external_key,
      from?.name,
      to.external_key,
      to.name,
      dwell_seconds,
    ]
      .map(cellOf)
      .join(','),
  )
  return [HEAD.join(','), ...lines, ''].join('\r\n')
}

/** In quotes, and not as a formula. */
function cellOf(value: string | number | null | undefined): string {
  const text = String(value ?? '')
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return `"${plain.replaceAll('"', '""')}"`
}

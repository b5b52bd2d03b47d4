import type { Movement } from './use-movements.ts'

const thing = (name: string) => [`${name}_id`, `${name}_external_key`, `${name}_name`]
const COLUMNS = ['occurred_at', ...thing('asset'), ...thing('from'), ...thing('to'), 'dwell_seconds']

/** After a byte order mark, as in all CSV files: without it, Excel does not read UTF-8. */
export const CSV_HEAD = `\uFEFF${COLUMNS.join(',')}\r\n`

/** For spreadsheets: one line per movement. */
export const csvOf = (rows: readonly Movement[]): string =>
  rows
    .map(({ occurred_at, asset, from_location: from, to_location: to, dwell_seconds }) => {
      const things = [asset, from, to].flatMap((one) => [one?.id, one?.external_key, one?.name])
      return `${[occurred_at, ...things, dwell_seconds].map(cellOf).join(',')}\r\n`
    })
    .join('')

/** What a spreadsheet takes for a formula, also after apostrophes: as in the files that the API exports. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/

/** In quotes, and not as a formula. */
function cellOf(value: string | number | null | undefined): string {
  const text = String(value ?? '')
  const plain = FORMULA.test(text) ? `'${text}` : text
  return `"${plain.replaceAll('"', '""')}"`
}

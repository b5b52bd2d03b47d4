import { stringify } from 'csv-stringify/sync'

/**
 * RFC 4180 ends lines with CR LF. Cells with CR or LF are quoted, because most programs accept either as a line end.
 */
export const csvText = (rows: readonly (readonly string[])[]): string =>
  stringify(rows as string[][], { record_delimiter: '\r\n', quoted_match: /[\r\n]/ })

const number = new Intl.NumberFormat()

/** Says what the file will have: the rows of all pages of the list, as CSV. */
export function exportLabel(total: number, isFiltered: boolean): string {
  if (total === 0) return 'Export CSV'
  if (total === 1) return 'Export 1 asset'
  return `Export ${isFiltered ? 'these' : 'all'} ${number.format(total)}`
}

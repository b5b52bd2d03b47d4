const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB']

/** Three digits, as in 18.7 TB. */
export function bytes(value: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(value, 1)) / 3), UNITS.length - 1)
  return `${Number((value / 1000 ** power).toPrecision(3))} ${UNITS[power]}`
}

/** Three digits, and nothing below a thousandth. */
export const amount = (value: number): string =>
  value >= 1_000 ? count(Number(value.toPrecision(3))) : String(Number(value.toPrecision(3)))

/** 1 800 000 */
export const count = (value: number): string =>
  Math.round(value)
    .toString()
    .replaceAll(/\B(?=(\d{3})+$)/g, ' ')

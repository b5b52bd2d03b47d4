const number = new Intl.NumberFormat()

/**
 * `1 row`, `2 rows`, `1,204 rows`. `many` is the plural. The singular is the same without a final s, unless `one` gives
 * it: `countText(1, 'history entries', 'history entry')`.
 */
export const countText = (count: number, many: string, one: string = many.replace(/s$/, '')): string =>
  `${number.format(count)} ${count === 1 ? one : many}`

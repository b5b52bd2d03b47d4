import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'

/** The smallest and the largest value of a flag, and its usual one. Whole numbers, unless the smallest is not whole. */
type Numbers = Record<string, readonly [least: number, most: number, usual?: number]>
type Read<N extends Numbers> = {
  [Name in keyof N]: N[Name] extends readonly [number, number, number] ? number : number | undefined
}

/** Reads the flags of a benchmark. Throws an error that says what a number may be. */
export function readFlags<const N extends Numbers, const O extends ParseArgsOptionsConfig>(
  args: string[],
  numbers: N,
  options: O,
) {
  const texts = Object.fromEntries(Object.keys(numbers).map((name) => [name, { type: 'string' } as const]))
  const { values } = parseArgs({ args, options: { ...options, ...texts } })
  const read = Object.entries(numbers).map(([name, [least, most, usual]]) => {
    const given = (values as Record<string, unknown>)[name]
    const value = given === undefined ? usual : Number(given)
    const isValid =
      value === undefined ||
      (value >= least && value <= most && (Number.isInteger(value) || !Number.isInteger(least)))
    if (!isValid) throw new Error(`--${name} must be ${least} to ${most}`)
    return [name, value]
  })
  return { ...values, numbers: Object.fromEntries(read) as Read<N> }
}

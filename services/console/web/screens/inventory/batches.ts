/** Limits of the API: 200 values per filter, and the length of a URL. */
export const MAX_VALUES = 200
const MAX_LENGTH = 6_000
const PARAMETER_LENGTH = '&asset_external_key='.length
const NATURAL_KEY = /^[A-Za-z0-9-]{1,255}$/

/** Splits keys into batches of one request each. Drops invalid keys, because no asset has them. */
export function batchesOf(keys: readonly string[]): string[][] {
  const batches: string[][] = []
  let length = MAX_LENGTH
  for (const key of keys) {
    if (!NATURAL_KEY.test(key)) continue
    const own = PARAMETER_LENGTH + key.length
    const last = batches.at(-1)
    if (last && last.length < MAX_VALUES && length + own <= MAX_LENGTH) {
      last.push(key)
      length += own
    } else {
      batches.push([key])
      length = own
    }
  }
  return batches
}

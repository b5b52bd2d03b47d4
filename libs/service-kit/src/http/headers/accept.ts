/**
 * Whether an `Accept` header prefers `wanted` to `usual` (RFC 9110, 12.5.1). False if it weighs both the same, accepts
 * neither, or is missing.
 */
export function prefers(accept: string | undefined, wanted: string, usual: string): boolean {
  if (accept === undefined) return false
  const ranges = rangesOf(accept)
  return weightOf(wanted, ranges) > weightOf(usual, ranges)
}

/** Whether an `Accept` header names a media type itself. Programs send a range such as `*`, people's browsers name types. */
export function namesType(accept: string | undefined, type: string): boolean {
  return rangesOf(accept ?? '').some((range) => range.type === type && range.weight > 0)
}

const rangesOf = (accept: string) => accept.split(',').flatMap((item) => readRange(item) ?? [])

type Range = { type: string; weight: number }

const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/** Undefined for text that is not a media range. Ignores parameters other than `q`: our formats have none. */
function readRange(item: string): Range | undefined {
  const [type = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
  const q = parameters.find((parameter) => /^q\s*=/.test(parameter))
  const weight = q?.slice(q.indexOf('=') + 1).trim() ?? '1'
  return type.includes('/') && WEIGHT.test(weight) ? { type, weight: Number(weight) } : undefined
}

/** The most specific matching range decides; 0 if none matches. */
function weightOf(type: string, ranges: readonly Range[]): number {
  const fitting = [type, `${type.split('/')[0]}/*`, '*/*']
  for (const candidate of fitting) {
    const weights = ranges.filter((range) => range.type === candidate).map((range) => range.weight)
    if (weights.length > 0) return Math.max(...weights)
  }
  return 0
}

export type KnownTag = {
  orgId: number
  id: number
  revision: number
  type: string
  value: string
  assetId: number | null
  /** With microseconds, which say what is older. */
  createdAt: string
  /** It was attached from this instant on, and until the other one; infinity for a live tag. */
  fromMs: number
  untilMs: number
}

type Question = {
  /** As it was read. */
  value: string
  asOfMs: number
  /** What ended before is not remembered, and what is older counts as of this instant. */
  sinceMs: number
}

/**
 * Which of the tags that match a value had it at an instant. The first one counts for earlier times too. Null if none
 * had it then, undefined if none is remembered.
 */
export function ownerAt(
  rows: readonly KnownTag[],
  { value, asOfMs, sinceMs }: Question,
): KnownTag | null | undefined {
  const remembered = rows.filter(({ untilMs }) => untilMs > sinceMs)
  const at = Math.max(asOfMs, sinceMs)
  const present = remembered.filter(({ fromMs, untilMs }) => fromMs <= at && at < untilMs)
  // A restored tag is as if it had never been deleted, but another one may have had its value meanwhile.
  const holders = present.filter(
    (tag) => !present.some((other) => other.value === tag.value && byAge(tag, other) < 0),
  )
  if (holders.length > 0) return holders.find((tag) => tag.value === value) ?? holders.toSorted(byAge)[0]
  const [first] = remembered.toSorted(byAge)
  return first && (at < first.fromMs ? first : null)
}

export const byAge = (a: KnownTag, b: KnownTag): number =>
  a.createdAt === b.createdAt ? a.id - b.id : a.createdAt < b.createdAt ? -1 : 1

/**
 * Delta debugging: the smallest part of `all` that it finds for which `stillFails` is true. Tries halves first, then
 * smaller parts, until no single element can be left out. `stillFails` is asked at most `mostTrials` times.
 */
export async function shrink<T>(
  all: readonly T[],
  stillFails: (part: readonly T[]) => Promise<boolean>,
  mostTrials = Number.POSITIVE_INFINITY,
): Promise<T[]> {
  let kept = [...all]
  let parts = 2
  let trials = 0
  const fails = async (part: readonly T[]) => {
    trials += 1
    return stillFails(part)
  }
  while (kept.length > 1 && trials < mostTrials) {
    const smaller = await firstThatFails(candidates(kept, parts), fails, () => trials < mostTrials)
    if (smaller) {
      parts = smaller.length > kept.length / 2 ? Math.max(parts - 1, 2) : 2
      kept = smaller
    } else if (parts >= kept.length) break
    else parts = Math.min(parts * 2, kept.length)
  }
  return kept
}

/** Each part alone, then all without one part. */
function* candidates<T>(all: readonly T[], parts: number): Generator<T[]> {
  const cut = (i: number) => Math.floor((i * all.length) / parts)
  for (let i = 0; i < parts; i += 1) yield all.slice(cut(i), cut(i + 1))
  if (parts > 2) for (let i = 0; i < parts; i += 1) yield [...all.slice(0, cut(i)), ...all.slice(cut(i + 1))]
}

async function firstThatFails<T>(
  tries: Iterable<T[]>,
  fails: (part: T[]) => Promise<boolean>,
  mayTry: () => boolean,
): Promise<T[] | undefined> {
  for (const part of tries) {
    if (!mayTry()) return undefined
    if (part.length > 0 && (await fails(part))) return part
  }
  return undefined
}

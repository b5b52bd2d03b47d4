/**
 * Which of some members has each of `count` partitions: the one with the highest score for it that has not its full share yet
 * (rendezvous hashing with bounded loads). So all shares are even, and a member that comes or goes moves little more than its own.
 */
export function sharesOf(count: number, members: Iterable<string>): (string | undefined)[] {
  const names = [...new Set(members)].toSorted()
  const full = Math.ceil(count / Math.max(1, names.length))
  const shares = new Map(names.map((name) => [name, 0]))
  return Array.from({ length: count }, (_, partition) => {
    const [owner] = names
      .filter((name) => (shares.get(name) ?? 0) < full)
      .map((name) => ({ name, score: scoreOf(`${partition} ${name}`) }))
      .toSorted((a, b) => b.score - a.score)
    if (owner) shares.set(owner.name, (shares.get(owner.name) ?? 0) + 1)
    return owner?.name
  })
}

/** FNV-1a with the final mixing of MurmurHash3: names that differ in a character must not have similar scores. */
function scoreOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** A line of a file whose parent is in the file too, and does not exist yet. */
export type Child = { line: number; parent: number }

/** Where a line is processed: after a later line, and by depth there. `after` is null below a circle of parents. */
export type Waiting = { line: number; after: number | null; depth: number }

/**
 * The lines that cannot keep their place if parents come first. Each comes after the last of its ancestors. Lines whose
 * parents lead back to themselves come after all others.
 */
export function waitingLines(children: readonly Child[]): Waiting[] {
  if (children.every(({ line, parent }) => parent < line)) return []
  const parents = new Map(children.map(({ line, parent }) => [line, parent]))
  const places = new Map<number, Waiting>()
  for (const { line } of children) {
    const path = new Set<number>()
    let top = line
    while (parents.has(top) && !places.has(top) && !path.has(top)) {
      path.add(top)
      top = parents.get(top) ?? top
    }
    const isCircular = path.has(top)
    let above = places.get(top) ?? { line: top, after: isCircular ? null : top, depth: 0 }
    for (const one of [...path].toReversed()) {
      above = below(above, one)
      places.set(one, above)
    }
  }
  return [...places.values()].filter(({ line, after }) => after !== line)
}

function below({ after, depth }: Waiting, line: number): Waiting {
  if (after === null) return { line, after, depth: 0 }
  return after > line ? { line, after, depth: depth + 1 } : { line, after: line, depth: 0 }
}

/** The live direct sub-locations of a location. */
export type ChildrenOf = (id: number) => Iterable<number>

/**
 * How many assets are at each of `ids` and its sub-locations, from those `held` directly. Visits each location once
 * and without recursion, because a request may name every level of a deep tree.
 */
export function countInside(
  ids: readonly number[],
  childrenOf: ChildrenOf,
  held: ReadonlyMap<number, number>,
): Map<number, number> {
  const inside = new Map<number, number>()
  for (const root of ids) {
    const path = inside.has(root) ? [] : [stepInto(root, childrenOf, held, inside)]
    for (let step = path.at(-1); step; step = path.at(-1)) {
      const { value: child, done } = step.children.next()
      if (done) {
        path.pop()
        add(inside, path.at(-1)?.id, inside.get(step.id) ?? 0)
      } else if (inside.has(child)) add(inside, step.id, inside.get(child) ?? 0)
      else path.push(stepInto(child, childrenOf, held, inside))
    }
  }
  return inside
}

type Step = { id: number; children: Iterator<number, undefined> }

function stepInto(
  id: number,
  childrenOf: ChildrenOf,
  held: ReadonlyMap<number, number>,
  inside: Map<number, number>,
): Step {
  inside.set(id, held.get(id) ?? 0)
  return { id, children: childrenOf(id)[Symbol.iterator]() }
}

function add(inside: Map<number, number>, id: number | undefined, count: number): void {
  if (id !== undefined) inside.set(id, (inside.get(id) ?? 0) + count)
}

/** A line of a file whose parent is in the file too, and does not exist yet. */
export type Child = { line: number; parent: number }

/** Where a line is processed: after a later line, and by depth there. `after` is null below a circle of parents. */
export type Waiting = { line: number; after: number | null; depth: number }

const [NEW, ON_PATH, PLACED] = [0, 1, 2]
/** In place of the line of a place. */
const CIRCLE = -1

/**
 * The lines that cannot keep their place if parents come first. Each comes after the last of its ancestors. Lines whose
 * parents lead back to themselves come after all others. Typed arrays, because a file may have a hundred thousand lines.
 */
export function waitingLines(children: readonly Child[]): Waiting[] {
  if (children.every(({ line, parent }) => parent < line)) return []
  const indexes = new Map<number, number>()
  const lines = new Int32Array(children.length)
  const tops = new Int32Array(children.length)
  for (const [i, { line, parent }] of children.entries()) {
    indexes.set(line, i)
    lines[i] = line
    tops[i] = parent
  }
  const parents = tops.map((line) => indexes.get(line) ?? -1)
  const states = new Uint8Array(children.length)
  const afters = new Int32Array(children.length)
  const depths = new Int32Array(children.length)
  const path = new Int32Array(children.length)
  for (let start = 0; start < children.length; start += 1) {
    let [length, at] = [0, start]
    let top = 0
    while (at !== -1 && states[at] === NEW) {
      states[at] = ON_PATH
      path[length] = at
      length += 1
      top = tops[at] ?? 0
      at = parents[at] ?? -1
    }
    let [after, depth] = [at === -1 ? top : (afters[at] ?? 0), at === -1 ? 0 : (depths[at] ?? 0)]
    if (at !== -1 && states[at] === ON_PATH) after = CIRCLE
    for (let i = length - 1; i >= 0; i -= 1) {
      const own = path[i] ?? 0
      const line = lines[own] ?? 0
      if (after === CIRCLE || after > line) depth += 1
      else [after, depth] = [line, 0]
      afters[own] = after
      depths[own] = depth
      states[own] = PLACED
    }
  }
  const waiting: Waiting[] = []
  for (const [i, line] of lines.entries()) {
    const [after, depth] = [afters[i] ?? 0, depths[i] ?? 0]
    if (after === CIRCLE) waiting.push({ line, after: null, depth: 0 })
    else if (after !== line) waiting.push({ line, after, depth })
  }
  return waiting
}

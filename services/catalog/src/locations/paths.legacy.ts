import type { Ancestor } from './paths.queries.ts'

/** The maximum number of ancestors in a path. Without it, a hostile tree could make a page of megabytes. */
export const MAX_LEVELS = 100

/** The path of a location in the tree, in the legacy vocabulary (D17.1). */
export type TreePath = { parent: string | undefined; path: string; depth: number }

type Node = { external_key: string; parent_id: number | null }

/** Builds paths from the ancestors of a whole page. A path with more than `MAX_LEVELS` begins with an ellipsis. */
export function pathsAmong(ancestors: readonly Ancestor[]): (location: Node) => TreePath {
  const byId = new Map(ancestors.map((ancestor) => [ancestor.id, ancestor]))
  return (location) => {
    const keys: string[] = []
    let at = location
    while (at.parent_id !== null && keys.length < MAX_LEVELS) {
      const parent = byId.get(at.parent_id)
      if (!parent) break
      keys.unshift(parent.external_key)
      at = parent
    }
    const isCut = keys.length === MAX_LEVELS && at.parent_id !== null
    const path = [...(isCut ? ['…'] : []), ...keys, location.external_key].join('.')
    return { parent: keys.at(-1), path, depth: keys.length + 1 }
  }
}

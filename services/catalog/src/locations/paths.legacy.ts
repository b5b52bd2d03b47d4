import type { Ancestor } from './paths.queries.ts'

/** How many locations around one are looked at: a hostile chain must not make a page of megabytes of paths. */
export const MAX_LEVELS = 100

/** The place of a location in the tree, in the legacy vocabulary (D5.9). */
export type Place = { parent: string | null; path: string; depth: number }

type Placed = { external_key: string; parent_id: number | null }

/** Reads places off the ancestors of a whole page. What lies beyond `MAX_LEVELS` is an ellipsis in front of the path. */
export function placesAmong(ancestors: readonly Ancestor[]): (location: Placed) => Place {
  const byId = new Map(ancestors.map((ancestor) => [ancestor.id, ancestor]))
  return (location) => {
    const keys: string[] = []
    let at = location
    while (at.parent_id !== null && keys.length < MAX_LEVELS) {
      const parent = byId.get(at.parent_id)
      if (!parent) break // deleted, as then the location is too: its path begins below
      keys.unshift(parent.external_key)
      at = parent
    }
    const isCut = keys.length === MAX_LEVELS && at.parent_id !== null
    const path = [...(isCut ? ['…'] : []), ...keys, location.external_key].join('/')
    return { parent: keys.at(-1) ?? null, path, depth: keys.length }
  }
}

import { useState, useSyncExternalStore } from 'react'
import type { Asset } from '../assets/asset-fields.ts'

/** What one request exports, and few enough to look through before changing them. */
export const MOST_SELECTED = 200

/** Chosen assets of a list, over its pages. A deleted one cannot be chosen, and no more than `MOST_SELECTED`. */
export type Selection = ReturnType<typeof newSelection>

export function newSelection() {
  let chosen: ReadonlyMap<number, Asset> = new Map()
  const listeners = new Set<() => void>()
  const set = (next: ReadonlyMap<number, Asset>) => {
    chosen = next
    for (const listener of listeners) listener()
  }
  return {
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    all: () => chosen,
    add: (assets: readonly Asset[]) => {
      const free = assets.filter(({ id, deleted_at: at }) => at === null && !chosen.has(id))
      const added = free.slice(0, MOST_SELECTED - chosen.size).map((asset) => [asset.id, asset] as const)
      set(new Map([...chosen, ...added]))
    },
    remove: (ids: readonly number[]) => {
      const removed = new Set(ids)
      set(new Map([...chosen].filter(([id]) => !removed.has(id))))
    },
    clear: () => {
      if (chosen.size > 0) set(new Map())
    },
  }
}

/** A selection of one list. Another filter is another list: nobody changes what they do not see. */
export function useSelection(filter: string): Selection {
  const [kept, setKept] = useState(() => ({ filter, selection: newSelection() }))
  if (kept.filter !== filter) setKept({ filter, selection: newSelection() })
  return kept.selection
}

export const useSelected = (selection: Selection): ReadonlyMap<number, Asset> =>
  useSyncExternalStore(selection.subscribe, selection.all)

/** Whether one asset is chosen. Draws again only when that changes. */
export const useIsSelected = (selection: Selection, id: number): boolean =>
  useSyncExternalStore(selection.subscribe, () => selection.all().has(id))

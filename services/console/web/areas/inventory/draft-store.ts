import { type Draft, draftText, EMPTY_DRAFT, isEmptyDraft, readDraft } from './draft.ts'

export type DraftStore = {
  get: () => Draft
  /** Applies `work` to the stored draft, which another tab may have changed. */
  change: (work: (draft: Draft) => Draft) => void
  /** False if the browser could not store the draft, which then ends with the page. */
  isKept: () => boolean
  /** Calls `onChange` after each change in this tab or another one. */
  subscribe: (onChange: () => void) => () => void
}

type Keeper = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
/** Calls `onWrite` after other tabs wrote to the storage. */
type WatchOtherTabs = (onWrite: () => void) => () => void

/**
 * The draft of one person in one organization, kept in this browser. Each change reads the stored draft first, so tabs
 * add to each other's list instead of overwriting it.
 */
export function openDraft(name: string, keeper: Keeper | undefined, watch: WatchOtherTabs): DraftStore {
  const listeners = new Set<() => void>()
  let text: string | null = null
  let draft = EMPTY_DRAFT
  let isKept = true
  let stopWatching = () => {}

  function load(): void {
    if (!isKept) return // what is stored is older than `draft`
    const stored = readText(keeper, name)
    if (stored === text) return
    text = stored
    draft = readDraft(stored)
  }
  const notify = () => listeners.forEach((listener) => listener())

  load()
  return {
    get: () => draft,
    isKept: () => isKept,
    change(work) {
      load()
      const next = work(draft)
      if (next === draft) return
      draft = next
      const nextText = isEmptyDraft(next) ? null : draftText(next)
      isKept = writeText(keeper, name, nextText)
      if (isKept) text = nextText
      notify()
    },
    subscribe(onChange) {
      if (listeners.size === 0)
        stopWatching = watch(() => {
          load()
          notify()
        })
      listeners.add(onChange)
      load() // other tabs may have written while nobody listened
      return () => {
        listeners.delete(onChange)
        if (listeners.size === 0) stopWatching()
      }
    },
  }
}

function readText(keeper: Keeper | undefined, name: string): string | null {
  try {
    return keeper?.getItem(name) ?? null
  } catch {
    return null
  }
}

/** False if the storage is full, switched off or not there. An empty draft needs no storage. */
function writeText(keeper: Keeper | undefined, name: string, text: string | null): boolean {
  try {
    if (text === null) keeper?.removeItem(name)
    else if (keeper) keeper.setItem(name, text)
    else return false
    return true
  } catch {
    return text === null
  }
}

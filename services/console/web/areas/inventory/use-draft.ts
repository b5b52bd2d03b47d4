import { useEffect, useSyncExternalStore } from 'react'
import { useSession } from '../../session/use-session.ts'
import type { Draft } from './draft.ts'
import { type DraftStore, openDraft } from './draft-store.ts'

/** By organization and person. A draft that the browser cannot store stays here until the page is left. */
const stores = new Map<string, DraftStore>()

function storeOf(name: string): DraftStore {
  const store = stores.get(name) ?? openDraft(name, localStorageIfAllowed(), onWriteOfOtherTabs)
  stores.set(name, store)
  return store
}

/** Reading the property fails if the person has switched storage off. */
function localStorageIfAllowed(): Storage | undefined {
  try {
    return window.localStorage
  } catch {
    return undefined
  }
}

function onWriteOfOtherTabs(onWrite: () => void): () => void {
  window.addEventListener('storage', onWrite)
  return () => window.removeEventListener('storage', onWrite)
}

type DraftState = {
  draft: Draft
  change: DraftStore['change']
  /** False if leaving the page loses the list. */
  isKept: boolean
}

/** The list of the signed-in person. It outlives the screen, a reload and the session. */
export function useDraft(): DraftState {
  const { user, org } = useSession()
  const store = storeOf(`whereabouts-inventory-${org.id}-${user.id}`)
  const draft = useSyncExternalStore(store.subscribe, store.get)
  const isKept = store.isKept() || draft.values.length === 0
  useEffect(() => {
    if (isKept) return undefined
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isKept])
  return { draft, change: store.change, isKept }
}

import { BATCH, type Found } from '../../parts/load/lookups.ts'

type LookupState = { found: Found; hasFailed: boolean }

export type LookupQueue = {
  get: () => LookupState
  subscribe: (onChange: () => void) => () => void
  /** Looks up those of `values` that are not found yet, from the first one on. Offline it waits. */
  want: (values: readonly string[], isOnline: boolean) => void
  add: (found: Found) => void
  askAgain: (values: readonly string[]) => void
  stop: () => void
}

const RETRY_MS = 5_000

/** One request at a time: values that arrive meanwhile share the next one. A failed request is repeated. */
export function openLookups(
  ask: (values: readonly string[]) => Promise<Found>,
  retryMs: number = RETRY_MS,
): LookupQueue {
  const listeners = new Set<() => void>()
  let state: LookupState = { found: new Map(), hasFailed: false }
  let wanted: readonly string[] = []
  let isOnline = true
  let isAsking = false
  let retry: ReturnType<typeof setTimeout> | undefined

  function set(change: Partial<LookupState>): void {
    state = { ...state, ...change }
    listeners.forEach((listener) => listener())
  }
  const add = (found: Found) => set({ found: new Map([...state.found, ...found]) })

  function goOn(): void {
    clearTimeout(retry)
    if (state.hasFailed) set({ hasFailed: false })
    void run()
  }
  async function run(): Promise<void> {
    if (isAsking || !isOnline || state.hasFailed) return
    const values = wanted.filter((value) => !state.found.has(value)).slice(0, BATCH)
    if (values.length === 0) return
    isAsking = true
    try {
      add(await ask(values))
    } catch {
      set({ hasFailed: true })
      retry = setTimeout(goOn, retryMs)
    }
    isAsking = false
    await run()
  }
  return {
    get: () => state,
    subscribe(onChange) {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
    want(values, online) {
      const isBack = online && !isOnline
      wanted = values
      isOnline = online
      if (isBack) goOn()
      else void run()
    },
    add,
    askAgain(values) {
      const gone = new Set(values)
      set({ found: new Map([...state.found].filter(([value]) => !gone.has(value))) })
      goOn()
    },
    stop() {
      clearTimeout(retry)
      wanted = []
    },
  }
}

import { useNavigate, useSearch } from '@tanstack/react-router'

/**
 * State in the query string, so that links and the back button keep it. Defaults are omitted. A change replaces the
 * history entry.
 */
export function useUrlState<K extends string>(
  defaults: Record<K, string>,
): [Record<K, string>, (change: Partial<Record<K, string>>) => void] {
  const search: Record<string, string | undefined> = useSearch({ strict: false })
  const navigate = useNavigate()
  const names = Object.keys(defaults) as K[]
  const state = Object.fromEntries(names.map((name) => [name, search[name] ?? defaults[name]])) as Record<
    K,
    string
  >
  const change = (changed: Partial<Record<K, string>>) => {
    const next: Record<string, string | undefined> = { ...state, ...changed }
    for (const name of names) if (next[name] === defaults[name]) next[name] = undefined
    void navigate({ to: '.', replace: true, search: (before: object) => ({ ...before, ...next }) })
  }
  return [state, change]
}

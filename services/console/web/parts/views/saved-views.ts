/** A list as somebody filtered and sorted it: its name, and the query string of its address. */
export type SavedView = { name: string; search: Readonly<Record<string, string>> }

/** A menu that one can look through. */
export const MOST_VIEWS = 20

/** The views of a list, as they are stored. An earlier release may have written something else. */
export function viewsIn(text: string | undefined): SavedView[] {
  try {
    const views: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(views) ? views.filter(isView).slice(0, MOST_VIEWS) : []
  } catch {
    return []
  }
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null) return false
  const { name, search } = value as Record<string, unknown>
  return (
    typeof name === 'string' &&
    typeof search === 'object' &&
    search !== null &&
    Object.values(search).every((text) => typeof text === 'string')
  )
}

/** The page of a list is left out: a view begins at its first one. */
export function searchOf(
  all: Readonly<Record<string, string | number | boolean | undefined>>,
): Record<string, string> {
  const texts = Object.entries(all).flatMap(([name, value]) =>
    value === undefined || name === 'offset' ? [] : [[name, String(value)] as const],
  )
  return Object.fromEntries(texts)
}

/** A view of the same name is replaced, in its place. */
export function withView(views: readonly SavedView[], view: SavedView): SavedView[] {
  const has = views.some(({ name }) => name === view.name)
  return has ? views.map((one) => (one.name === view.name ? view : one)) : [...views, view]
}

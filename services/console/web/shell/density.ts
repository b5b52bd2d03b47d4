import { useSyncExternalStore } from 'react'

/** How high rows of tables are: 36 or 28 pixels. */
export const DENSITIES = [
  ['comfortable', 'Comfortable'],
  ['compact', 'Compact'],
] as const
export type Density = (typeof DENSITIES)[number][0]

const KEY = 'whereabouts-density'
const listeners = new Set<() => void>()

const current = (): Density =>
  document.documentElement.dataset['density'] === 'compact' ? 'compact' : 'comfortable'

const apply = (density: string | null) => {
  document.documentElement.dataset['density'] = density === 'compact' ? 'compact' : 'comfortable'
  for (const listener of listeners) listener()
}

/** Applies what the person chose in this browser, and follows their other tabs. */
export function startDensity(): void {
  try {
    apply(localStorage.getItem(KEY))
  } catch {
    return // the browser forbids storage: the default
  }
  addEventListener('storage', ({ key, newValue }) => key === KEY && apply(newValue))
}

export function setDensity(density: Density): void {
  apply(density)
  try {
    localStorage.setItem(KEY, density)
  } catch {
    // only for this page, then
  }
}

const onChange = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useDensity = (): Density => useSyncExternalStore(onChange, current)

import { vi } from 'vitest'

/** Long enough for a machine with other work; only a failure takes this long. */
const TIMEOUT_MS = 15_000
const INTERVAL_MS = 20

/** Calls `check` until it no longer throws or rejects, and returns its value. Throws its last error after 15 s. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: TIMEOUT_MS, interval: INTERVAL_MS })
}

import { setTimeout as delay } from 'node:timers/promises'

/**
 * Calls `check` every `everyMs` until it returns a value and returns that; undefined after `timeoutMs`. For states of
 * other processes. Rejects when `check` throws.
 */
export async function poll<T>(
  check: () => T | undefined | Promise<T | undefined>,
  { everyMs, timeoutMs }: { everyMs: number; timeoutMs: number },
): Promise<T | undefined> {
  const deadline = Date.now() + timeoutMs
  const attempt = async (): Promise<T | undefined> => {
    const found = await check()
    if (found !== undefined || Date.now() > deadline) return found
    await delay(everyMs)
    return attempt()
  }
  return attempt()
}

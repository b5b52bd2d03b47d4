import { setTimeout as delay } from 'node:timers/promises'

/**
 * Looks again every `everyMs` until `look` finds something (anything but undefined) and returns it; undefined after
 * `timeoutMs`. For states of other processes, which cannot be waited for. What `look` throws ends it.
 */
export async function poll<T>(
  look: () => T | undefined | Promise<T | undefined>,
  { everyMs, timeoutMs }: { everyMs: number; timeoutMs: number },
): Promise<T | undefined> {
  const deadline = Date.now() + timeoutMs
  const attempt = async (): Promise<T | undefined> => {
    const found = await look()
    if (found !== undefined || Date.now() > deadline) return found
    await delay(everyMs)
    return attempt()
  }
  return attempt()
}

import { setTimeout as wait } from 'node:timers/promises'

type Owner = { name: string; close: () => unknown }

/** A part that hangs must not keep the verdict from anybody. Replicas drain, and requests under way end, in this time. */
const PATIENCE_MS = 150_000

/** What a round has opened so far, so that each part is closed however the round ends. */
export class Owners {
  readonly #owners: Owner[] = []

  add(name: string, close: () => unknown): void {
    this.#owners.push({ name, close })
  }

  /** Closes all parts, the last one first, also after one that fails. Returns what could not be closed, and why. */
  async close(patienceMs = PATIENCE_MS): Promise<string[]> {
    const left: string[] = []
    for (let owner = this.#owners.pop(); owner; owner = this.#owners.pop()) {
      const problem = await closing(owner, patienceMs)
      if (problem !== undefined) left.push(`${owner.name}: ${problem}`)
    }
    return left
  }
}

async function closing({ close }: Owner, patienceMs: number): Promise<string | undefined> {
  const timer = new AbortController()
  const late = wait(patienceMs, `not closed after ${patienceMs / 1000} s`, { signal: timer.signal })
  try {
    return await Promise.race([
      Promise.resolve()
        .then(close)
        .then(() => undefined),
      late,
    ])
  } catch (error) {
    return String(error)
  } finally {
    timer.abort()
    late.catch(() => undefined) // the aborted timer rejects
  }
}

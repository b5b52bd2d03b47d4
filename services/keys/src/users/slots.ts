import { serviceUnavailable } from '@whereabouts/service-kit/errors'

/** Runs work when a slot is free. Throws `service_unavailable` at once when too many wait already. */
export type Slots = <T>(work: () => Promise<T>) => Promise<T>

/** `concurrent` at a time, in the order of arrival; at most `waiting` more in the queue. */
export function createSlots({ concurrent, waiting }: { concurrent: number; waiting: number }): Slots {
  const queue: (() => void)[] = []
  let busy = 0

  async function enter(): Promise<void> {
    if (busy < concurrent) {
      busy += 1
      return
    }
    if (queue.length >= waiting) throw serviceUnavailable(new Error('too many passwords wait to be hashed'))
    await new Promise<void>((resolve) => queue.push(resolve))
  }

  /** The slot goes straight to the first in the queue, so that nobody can step in between. */
  function leave(): void {
    const next = queue.shift()
    if (next) next()
    else busy -= 1
  }

  return async (work) => {
    await enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}

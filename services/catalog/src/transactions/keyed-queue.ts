import type { AppError } from '@whereabouts/service-kit/app-error'
import { tooManyChanges } from '../errors.ts'

/** Runs `work` when the work before it with the same key is done. */
export type KeyedQueue = <T>(key: string, work: () => Promise<T>) => Promise<T>

type Options = {
  /** How many of one key run at the same time. */
  concurrency: number
  /** Per key. More are refused. */
  maxWaiting: number
  /** After this wait, work is refused. */
  maxWaitMs: number
  refusal?: () => AppError
}

type Lane = { inside: number; waiting: Set<() => void> }

/**
 * One queue in memory per key, first in, first out. It delays work that would only block a connection. Refused work
 * has not begun and rejects with `refusal`. Not `p-queue`, which limits neither the number of waiting tasks nor their
 * wait.
 */
export function keyedQueue({
  concurrency,
  maxWaiting,
  maxWaitMs,
  refusal = tooManyChanges,
}: Options): KeyedQueue {
  const lanes = new Map<string, Lane>()

  async function enter(key: string): Promise<void> {
    const lane = lanes.get(key) ?? { inside: 0, waiting: new Set() }
    lanes.set(key, lane)
    if (lane.inside < concurrency) lane.inside += 1
    else if (lane.waiting.size < maxWaiting) await waitIn(lane)
    else throw refusal()
  }

  const waitIn = ({ waiting }: Lane) =>
    new Promise<void>((resolve, reject) => {
      const admit = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.delete(admit)
        reject(refusal())
      }, maxWaitMs)
      waiting.add(admit)
    })

  /** Starts the work that has waited longest. */
  function leave(key: string): void {
    const lane = lanes.get(key)
    if (!lane) return
    const [next] = lane.waiting
    if (next) {
      lane.waiting.delete(next)
      next()
    } else if ((lane.inside -= 1) === 0) lanes.delete(key)
  }

  return async (key, work) => {
    await enter(key)
    try {
      return await work()
    } finally {
      leave(key)
    }
  }
}

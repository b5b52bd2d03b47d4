import type { AppError } from '@whereabouts/service-kit/app-error'
import { tooManyChanges } from './errors.ts'

/** Runs `work` once it is the turn of its caller among those with the same key. */
export type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>

type Options = {
  /** Of one key. */
  atATime: number
  /** Of one key; whoever comes when so many wait is refused. */
  maxWaiting: number
  /** Whoever has waited for so long is refused. */
  maxWaitMs: number
  refusal?: () => AppError
}

type Lane = { inside: number; waiting: Set<() => void> }

/**
 * Queues in memory, one for each key, in the order of arrival. They hold back work that would only take up a connection
 * to wait on it. Refused work was not begun: rejects with `refusal`.
 */
export function keyedTurns({ atATime, maxWaiting, maxWaitMs, refusal = tooManyChanges }: Options): Turns {
  const lanes = new Map<string, Lane>()

  async function enter(key: string): Promise<void> {
    const lane = lanes.get(key) ?? { inside: 0, waiting: new Set() }
    lanes.set(key, lane)
    if (lane.inside < atATime) lane.inside += 1
    else if (lane.waiting.size < maxWaiting) await turnIn(lane)
    else throw refusal()
  }

  const turnIn = ({ waiting }: Lane) =>
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

  /** The place goes to the one who waits longest. */
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

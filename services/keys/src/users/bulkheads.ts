import { AppError } from '@whereabouts/service-kit/app-error'
import { tooManyAttempts } from '../errors.ts'

/**
 * Runs work of a source (an address block) when a slot is free. Throws `rate_limited` at once if the source has too
 * many waiting, and `service_unavailable` if the queue is full with one per source.
 */
export type Bulkheads = <T>(source: string, work: () => Promise<T>) => Promise<T>

type Options = {
  /** Running at a time. */
  concurrent: number
  /** Waiting, of one source. */
  perSource: number
  /** Waiting, of all sources. */
  waiting: number
  /** Called for each refusal. */
  onRefusal?: (source: string) => void
}

type Place = { enter(): void; refuse(error: AppError): void }

/**
 * Round robin over the sources, first in first out within one. If the queue is full, a source without a place displaces
 * the newest of the source with most. Not `p-queue`: it has neither the round robin nor the displacement.
 */
export function createBulkheads(options: Options): Bulkheads {
  const { concurrent, perSource, waiting, onRefusal = () => undefined } = options
  /** By source, in round-robin order. No queue is empty. */
  const queues = new Map<string, Place[]>()
  let queued = 0
  let busy = 0

  function refuse(source: string, error: AppError): AppError {
    onRefusal(source)
    return error
  }

  function makeRoom(): boolean {
    const [source, longest] = [...queues].reduce((a, b) => (b[1].length > a[1].length ? b : a), ['', []])
    if (longest.length < 2) return false
    queued -= 1
    longest.pop()?.refuse(refuse(source, tooManyAttempts(1)))
    return true
  }

  async function enter(source: string): Promise<void> {
    if (busy < concurrent) {
      busy += 1
      return
    }
    const queue = queues.get(source) ?? []
    if (queue.length >= perSource) throw refuse(source, tooManyAttempts(1))
    if (queued >= waiting && (queue.length > 0 || !makeRoom())) throw refuse(source, everythingIsFull())
    await new Promise<void>((resolve, reject) => {
      queue.push({ enter: resolve, refuse: reject })
      queues.set(source, queue)
      queued += 1
    })
  }

  /** Hands the slot to the next source directly, so that no new work can take it. */
  function leave(): void {
    const next = queues.entries().next()
    if (next.done) {
      busy -= 1
      return
    }
    const [source, queue] = next.value
    queues.delete(source)
    const place = queue.shift()
    if (queue.length > 0) queues.set(source, queue) // behind the others
    queued -= 1
    place?.enter()
  }

  return async (source, work) => {
    await enter(source)
    try {
      return await work()
    } finally {
      leave()
    }
  }
}

const everythingIsFull = () =>
  new AppError('service_unavailable', 'The service is temporarily unavailable', {
    headers: { 'retry-after': '1' },
    isCounted: true,
  })

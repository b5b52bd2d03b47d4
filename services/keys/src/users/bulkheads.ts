import { AppError } from '@whereabouts/service-kit/app-error'
import { tooManyAttempts } from '../errors.ts'

/**
 * Runs work when a slot is free, for a source (an address block). Throws `rate_limited` at once for a source that has
 * too many waiting, and `service_unavailable` when every place is taken by a source of its own.
 */
export type Bulkheads = <T>(source: string, work: () => Promise<T>) => Promise<T>

type Options = {
  /** At work at a time. */
  concurrent: number
  /** Waiting besides, of one source. */
  perSource: number
  /** Waiting besides, in all. */
  waiting: number
  /** Told of every refusal. */
  onRefusal?: (source: string) => void
}

type Place = { enter(): void; refuse(error: AppError): void }

/**
 * The sources take turns, whoever has how many waiting; what a source has waiting comes in its order. When all places
 * are taken, a source without one gets that of the newest of the source that has most.
 */
export function createBulkheads(options: Options): Bulkheads {
  const { concurrent, perSource, waiting, onRefusal = () => undefined } = options
  /** By source, in the order of their turns. None is empty. */
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

  /** The slot goes straight to the next in turn, so that nobody can step in between. */
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

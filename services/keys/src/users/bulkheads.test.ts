import { expect, test } from 'vitest'
import { createBulkheads } from './bulkheads.ts'

/** Work that ends on request. */
function job() {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  let started = false
  const work = () => {
    started = true
    return promise
  }
  return { work, end: () => resolve(undefined), isStarted: () => started }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

const limits = { concurrent: 1, perSource: 2, waiting: 4 }

test('work waits for a free slot, first in first out', async () => {
  const bulkheads = createBulkheads(limits)
  const jobs = [job(), job(), job()] as const
  const done = Promise.all(jobs.map(({ work }) => bulkheads('a', work)))
  await settled()
  expect(jobs.map((one) => one.isStarted())).toEqual([true, false, false])
  jobs[0].end()
  await settled()
  expect(jobs.map((one) => one.isStarted())).toEqual([true, true, false])
  jobs[1].end()
  jobs[2].end()
  await done
})

test('sources take turns, however many each has waiting', async () => {
  const bulkheads = createBulkheads({ ...limits, perSource: 3 })
  const running = job()
  const order: string[] = []
  const work = (name: string) => async () => void order.push(name)
  const done = Promise.all([
    bulkheads('flood', running.work),
    bulkheads('flood', work('flood 1')),
    bulkheads('flood', work('flood 2')),
    bulkheads('flood', work('flood 3')),
    bulkheads('owner', work('owner')),
  ])
  running.end()
  await done
  expect(order).toEqual(['flood 1', 'owner', 'flood 2', 'flood 3'])
})

test('a source with its share waiting is refused with 429, and others are not', async () => {
  const refused: string[] = []
  const bulkheads = createBulkheads({ ...limits, onRefusal: (source) => refused.push(source) })
  const running = job()
  const done = Promise.all([
    bulkheads('a', running.work),
    bulkheads('a', async () => 1),
    bulkheads('a', async () => 2),
  ])
  await expect(bulkheads('a', async () => 3)).rejects.toMatchObject({ type: 'rate_limited' })
  const other = bulkheads('b', async () => 'served')
  running.end()
  expect(await other).toBe('served')
  await done
  expect(refused).toEqual(['a'])
})

test('if the queue is full, a new source displaces the newest of the source with most', async () => {
  const bulkheads = createBulkheads({ ...limits, waiting: 3 })
  const running = job()
  const first = bulkheads('x', running.work)
  const [a1, a2, b1] = [
    bulkheads('a', async () => 'a1'),
    bulkheads('a', async () => 'a2'),
    bulkheads('b', async () => 'b1'),
  ]
  const displaced = a2.catch((error: unknown) => error)
  const c1 = bulkheads('c', async () => 'c1')
  expect(await displaced).toMatchObject({ type: 'rate_limited' })
  // Now each of three sources has one, so none can be displaced.
  await expect(bulkheads('d', async () => 'd1')).rejects.toMatchObject({ type: 'service_unavailable' })
  running.end()
  expect(await Promise.all([a1, b1, c1])).toEqual(['a1', 'b1', 'c1'])
  await first
})

test('work that fails frees its slot', async () => {
  const bulkheads = createBulkheads({ ...limits, waiting: 0 })
  await expect(bulkheads('a', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await bulkheads('a', async () => 'next')).toBe('next')
})

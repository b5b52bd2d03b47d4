import { expect, test } from 'vitest'
import { createSlots } from './slots.ts'

/** Work that ends when told to. */
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

test('no more run at once than there are slots, and the first in the queue comes next', async () => {
  const slots = createSlots({ concurrent: 1, waiting: 2 })
  const jobs = [job(), job(), job()] as const
  const done = Promise.all(jobs.map(({ work }) => slots(work)))
  await settled()
  expect(jobs.map((one) => one.isStarted())).toEqual([true, false, false])
  jobs[0].end()
  await settled()
  expect(jobs.map((one) => one.isStarted())).toEqual([true, true, false])
  jobs[1].end()
  jobs[2].end()
  await done
})

test('who finds the queue full is refused at once with 503', async () => {
  const slots = createSlots({ concurrent: 1, waiting: 1 })
  const [running, waiting] = [job(), job()]
  const done = Promise.all([slots(running.work), slots(waiting.work)])
  await settled()
  await expect(slots(job().work)).rejects.toMatchObject({ type: 'service_unavailable' })
  running.end()
  waiting.end()
  await done
})

test('work that fails frees its slot', async () => {
  const slots = createSlots({ concurrent: 1, waiting: 0 })
  await expect(slots(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await slots(async () => 'next')).toBe('next')
})

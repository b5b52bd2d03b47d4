import { expect, test, vi } from 'vitest'
import { openLookups } from './lookup-queue.ts'
import type { Found } from '../../parts/load/lookups.ts'

// The look-up imports the API client, which reads the address of the page.
vi.hoisted(() => vi.stubGlobal('location', { origin: 'https://console.test' }))

const RETRY_MS = 100

/** A queue whose requests the test answers. */
function asked() {
  const requests: { values: readonly string[]; answer: PromiseWithResolvers<Found> }[] = []
  const queue = openLookups((values) => {
    const answer = Promise.withResolvers<Found>()
    requests.push({ values, answer })
    return answer.promise
  }, RETRY_MS)
  const answer = (i: number) =>
    requests[i]?.answer.resolve(new Map(requests[i].values.map((value) => [value, []])))
  return { queue, requests, answer, found: () => [...queue.get().found.keys()] }
}

test('values that arrive during a request share the next one', async () => {
  const { queue, requests, answer, found } = asked()
  queue.want(['A'], true)
  queue.want(['B', 'A'], true)
  queue.want(['C', 'B', 'A'], true)
  expect(requests.map(({ values }) => values)).toEqual([['A']])
  answer(0)
  await expect.poll(() => requests.length).toBe(2)
  expect(requests[1]?.values).toEqual(['C', 'B'])
  answer(1)
  await expect.poll(found).toEqual(['A', 'C', 'B'])
  queue.want(['C', 'B', 'A'], true)
  expect(requests).toHaveLength(2)
  queue.askAgain(['B'])
  expect(requests[2]?.values).toEqual(['B'])
})

test('thousands are asked for in batches', async () => {
  const { queue, requests, answer, found } = asked()
  queue.want(Array.from({ length: 450 }, (_, i) => `V-${i}`), true) // oxfmt-ignore
  for (let i = 0; i < 3; i += 1) {
    await expect.poll(() => requests.length).toBe(i + 1)
    answer(i)
  }
  await expect.poll(found).toHaveLength(450)
  expect(requests.map(({ values }) => values.length)).toEqual([200, 200, 50])
})

test('offline nothing is asked; back online it is, also after a failure', async () => {
  const { queue, requests, answer, found } = asked()
  queue.want(['A'], false)
  expect(requests).toEqual([])
  queue.want(['A'], true)
  requests[0]?.answer.reject(new TypeError('no network'))
  await expect.poll(() => queue.get().hasFailed).toBe(true)
  queue.want(['A'], false)
  queue.want(['A'], true)
  expect(queue.get().hasFailed).toBe(false)
  expect(requests).toHaveLength(2)
  answer(1)
  await expect.poll(found).toEqual(['A'])
})

test('a failed request is repeated after a while, unless the screen was left', async () => {
  vi.useFakeTimers()
  try {
    const { queue, requests } = asked()
    queue.want(['A'], true)
    requests[0]?.answer.reject(new TypeError('no network'))
    await vi.advanceTimersByTimeAsync(RETRY_MS)
    expect(requests).toHaveLength(2)
    requests[1]?.answer.reject(new TypeError('no network'))
    await vi.advanceTimersByTimeAsync(0)
    expect(queue.get().hasFailed).toBe(true)
    queue.stop()
    await vi.advanceTimersByTimeAsync(RETRY_MS)
    expect(requests).toHaveLength(2)
  } finally {
    vi.useRealTimers()
  }
})

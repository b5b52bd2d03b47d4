import { describe, expect, test, vi } from 'vitest'
import { keyedQueue } from './keyed-queue.ts'

const patient = { maxWaiting: 100, maxWaitMs: 60_000 }

/** Work that records its start, and ends when the test ends it. */
function job(log: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const work = () => {
    log.push(name)
    return promise
  }
  return { work, end: () => resolve(name), fail: () => reject(new Error(name)) }
}

/** Lets all work that can continue do so. */
const settled = () => new Promise(setImmediate)

describe('work of one key', () => {
  test('runs in the order of arrival, within the limit of concurrency', async () => {
    const queue = keyedQueue({ concurrency: 2, ...patient })
    const log: string[] = []
    const jobs = ['a', 'b', 'c', 'd'].map((name) => job(log, name))
    const results = jobs.map(({ work }) => queue('key', work))
    await settled()
    expect(log).toEqual(['a', 'b'])
    jobs[1]?.end()
    await settled()
    expect(log).toEqual(['a', 'b', 'c'])
    for (const { end } of jobs) end()
    expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('continues after a failure, which the caller gets', async () => {
    const queue = keyedQueue({ concurrency: 1, ...patient })
    const log: string[] = []
    const [bad, good] = [job(log, 'bad'), job(log, 'good')]
    const results = [queue('key', bad.work), queue('key', good.work)]
    bad.fail()
    good.end()
    await expect(results[0]).rejects.toThrow('bad')
    await expect(results[1]).resolves.toBe('good')
  })

  test('does not wait for work of another key', async () => {
    const queue = keyedQueue({ concurrency: 1, ...patient })
    const log: string[] = []
    const [mine, theirs] = [job(log, 'mine'), job(log, 'theirs')]
    const waiting = queue('me', mine.work)
    theirs.end()
    expect(await queue('them', theirs.work)).toBe('theirs')
    mine.end()
    await waiting
  })

  test('begins at once if the queue is empty', async () => {
    const queue = keyedQueue({ concurrency: 1, maxWaiting: 0, maxWaitMs: 60_000 })
    for (const name of ['one', 'two', 'three']) expect(await queue('key', async () => name)).toBe(name)
  })
})

describe('refused work has not begun, and other work is not affected', () => {
  const refusal = expect.objectContaining({ type: 'service_unavailable', headers: { 'retry-after': '1' } })

  test('work is refused if the queue is full', async () => {
    const queue = keyedQueue({ concurrency: 1, maxWaiting: 1, maxWaitMs: 60_000 })
    const log: string[] = []
    const jobs = ['inside', 'waits', 'refused'].map((name) => job(log, name))
    const [first, second, third] = jobs.map(({ work }) => queue('key', work))
    await expect(third).rejects.toEqual(refusal)
    for (const { end } of jobs) end()
    expect(await Promise.all([first, second])).toEqual(['inside', 'waits'])
    expect(log).toEqual(['inside', 'waits'])
  })

  test('work that has waited too long is refused', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const queue = keyedQueue({ concurrency: 1, maxWaiting: 9, maxWaitMs: 5_000 })
      const log: string[] = []
      const jobs = ['inside', 'early', 'late'].map((name) => job(log, name))
      const [first, second] = jobs.slice(0, 2).map(({ work }) => queue('key', work))
      vi.advanceTimersByTime(3_000)
      const third = queue('key', jobs[2]?.work ?? (async () => ''))
      vi.advanceTimersByTime(2_000)
      await expect(second).rejects.toEqual(refusal)
      for (const { end } of jobs) end()
      expect(await Promise.all([first, third])).toEqual(['inside', 'late'])
      vi.advanceTimersByTime(60_000)
      expect(log).toEqual(['inside', 'late'])
    } finally {
      vi.useRealTimers()
    }
  })
})

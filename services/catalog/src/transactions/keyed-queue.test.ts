import { describe, expect, test, vi } from 'vitest'
import { keyedQueue } from './keyed-queue.ts'

const patient = { maxWaiting: 100, maxWaitMs: 60_000 }

/** Work that says when it begins, and ends when it is told to. */
function job(log: string[], name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const work = () => {
    log.push(name)
    return promise
  }
  return { work, end: () => resolve(name), fail: () => reject(new Error(name)) }
}

/** Long enough for everything that can go on to have gone on. */
const settled = () => new Promise(setImmediate)

describe('turns of one key', () => {
  test('come in the order of arrival, no more at a time than allowed', async () => {
    const queue = keyedQueue({ concurrency: 2, ...patient })
    const log: string[] = []
    const jobs = ['a', 'b', 'c', 'd'].map((name) => job(log, name))
    const answers = jobs.map(({ work }) => queue('key', work))
    await settled()
    expect(log).toEqual(['a', 'b'])
    jobs[1]?.end()
    await settled()
    expect(log).toEqual(['a', 'b', 'c'])
    for (const { end } of jobs) end()
    expect(await Promise.all(answers)).toEqual(['a', 'b', 'c', 'd'])
  })

  test('go on after one that failed, whose caller is told', async () => {
    const queue = keyedQueue({ concurrency: 1, ...patient })
    const log: string[] = []
    const [bad, good] = [job(log, 'bad'), job(log, 'good')]
    const answers = [queue('key', bad.work), queue('key', good.work)]
    bad.fail()
    good.end()
    await expect(answers[0]).rejects.toThrow('bad')
    await expect(answers[1]).resolves.toBe('good')
  })

  test('do not wait for those of another key', async () => {
    const queue = keyedQueue({ concurrency: 1, ...patient })
    const log: string[] = []
    const [mine, theirs] = [job(log, 'mine'), job(log, 'theirs')]
    const waiting = queue('me', mine.work)
    theirs.end()
    expect(await queue('them', theirs.work)).toBe('theirs')
    mine.end()
    await waiting
  })

  test('begin at once when nobody is left', async () => {
    const queue = keyedQueue({ concurrency: 1, maxWaiting: 0, maxWaitMs: 60_000 })
    for (const name of ['one', 'two', 'three']) expect(await queue('key', async () => name)).toBe(name)
  })
})

describe('refused work has not begun, and other work is not affected', () => {
  const refusal = expect.objectContaining({ type: 'service_unavailable', headers: { 'retry-after': '1' } })

  test('work is refused when the queue is full', async () => {
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

import { AsyncLocalStorage } from 'node:async_hooks'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { RequestClient } from '@whereabouts/service-kit/observe/request-client'
import { currentTrace, rootTrace, withTrace } from '@whereabouts/service-kit/observe/trace'
import { expect, test } from 'vitest'
import { batchCalls, batchCallsByKey } from './batch-calls.ts'

/** Doubles values in runs that the test ends. */
function doubling(atMost = 100, atOnce = 1) {
  const runs: number[][] = []
  const ends: ((error?: Error) => void)[] = []
  const double = batchCalls<number, number>(
    (values) => {
      runs.push([...values])
      return new Promise((resolve, reject) => {
        ends.push((error) => (error ? reject(error) : resolve(values.map((value) => 2 * value))))
      })
    },
    { atMost, atOnce },
  )
  const began = (count: number) => expect.poll(() => runs.length).toBe(count)
  return { double, runs, ends, began }
}

test('simultaneous calls are one run, and each gets its own result', async () => {
  const { double, runs, ends, began } = doubling()
  const answers = Promise.all([1, 2, 3].map(double))
  await began(1)
  ends[0]?.()
  expect(await answers).toEqual([2, 4, 6])
  expect(runs).toEqual([[1, 2, 3]])
})

test('calls during a run wait and run together, up to the limit', async () => {
  const { double, runs, ends, began } = doubling(2)
  const first = double(1)
  await began(1)
  const later = Promise.all([2, 3, 4].map(double))
  ends[0]?.()
  expect(await first).toBe(2)
  await began(2)
  ends[1]?.()
  await began(3)
  ends[2]?.()
  expect(await later).toEqual([4, 6, 8])
  expect(runs).toEqual([[1], [2, 3], [4]])
})

test('a failed run rejects its calls, and the next calls run', async () => {
  const { double, ends, began } = doubling()
  const lost = Promise.allSettled([double(1), double(2)])
  await began(1)
  ends[0]?.(new Error('away'))
  expect((await lost).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const next = double(3)
  await began(2)
  ends[1]?.()
  expect(await next).toBe(6)
})

test('a run that returns too few results rejects its calls', async () => {
  const short = batchCalls<number, number>(async () => [], { atMost: 10 })
  await expect(short(1)).rejects.toThrow('must return a result for every value')
})

test('a value whose result is an error rejects its own call', async () => {
  const refuseOdd = batchCalls<number, number>(
    async (values) => values.map((value) => (value % 2 === 0 ? value : new RangeError(`${value} is odd`))),
    { atMost: 10 },
  )
  const [two, three, four] = await Promise.allSettled([2, 3, 4].map(refuseOdd))
  expect([two, four]).toMatchObject([{ value: 2 }, { value: 4 }])
  expect(three).toMatchObject({ reason: new RangeError('3 is odd') })
})

test('a function may end a batch early, and the order of the calls stays', async () => {
  const runs: number[][] = []
  const until9 = batchCalls<number, number>(
    async (values) => {
      runs.push([...values])
      return values
    },
    { atMost: (waiting) => waiting.indexOf(9) }, // even if it counts none, the first one runs
  )
  await Promise.all([1, 2, 9, 3, 9].map(until9))
  expect(runs).toEqual([[1, 2], [9], [3], [9]])
})

test('calls of different keys share no run and do not wait for each other', async () => {
  const runs: [string, readonly number[]][] = []
  const end = Promise.withResolvers<void>()
  const call = batchCallsByKey<string, number, number>(
    async (key, values) => {
      runs.push([key, values])
      if (key === 'slow') await end.promise
      return values
    },
    { atMost: 10 },
  )
  const slow = Promise.all([call('slow', 1), call('slow', 2)])
  expect(await Promise.all([call('fast', 3), call('fast', 4)])).toEqual([3, 4])
  end.resolve()
  expect(await slow).toEqual([1, 2])
  expect(runs).toEqual([
    ['slow', [1, 2]],
    ['fast', [3, 4]],
  ])
})

test('runs at the same time are bounded, and a slow one holds up only its own calls', async () => {
  const { double, runs, ends, began } = doubling(100, 2)
  const slow = double(1)
  await began(1)
  const second = double(2)
  await began(2)
  const later = Promise.all([3, 4].map(double))
  ends[1]?.()
  expect(await second).toBe(4)
  await began(3)
  ends[2]?.()
  expect(await later).toEqual([6, 8])
  ends[0]?.()
  expect(await slow).toBe(2)
  expect(runs).toEqual([[1], [2], [3, 4]])
})

test('a run has the context of its first call', async () => {
  const caller = new AsyncLocalStorage<string>()
  const ends: (() => void)[] = []
  const seen: unknown[] = []
  const call = batchCalls<number, number>(
    async (values) => {
      seen.push(caller.getStore())
      await new Promise<void>((resolve) => {
        ends.push(resolve)
      })
      return values
    },
    { atMost: 10 },
  )
  const first = caller.run('first', async () => call(1))
  await expect.poll(() => ends.length).toBe(1)
  const second = caller.run('second', async () => call(2))
  ends[0]?.()
  await first
  await expect.poll(() => ends.length).toBe(2)
  ends[1]?.()
  await second
  expect(seen).toEqual(['first', 'second'])
})

test('a run has the trace of its first call without its client, in three runs', async () => {
  const seen: unknown[] = []
  const call = batchCalls<number, number>(
    async (values) => {
      seen.push(currentTrace())
      return values
    },
    { atMost: 2 },
  )
  const traces = [1, 2, 3].map(() => rootTrace())
  const client = new RequestClient(Object.assign(new EventEmitter(), { closed: false, writableFinished: false }) as unknown as ServerResponse) // oxfmt-ignore
  await Promise.all(
    traces.flatMap((trace, i) => [0, 1].map(() => withTrace({ ...trace, client }, () => call(i)))),
  )
  expect(seen).toEqual(traces)
})

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { countedLog } from './counted-log.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a key has a line at once, then one per interval with the number of further events', async () => {
  const lines: unknown[] = []
  const log = countedLog((fields) => lines.push(fields), { intervalMs: 1_000 })
  for (let seq = 0; seq < 500; seq += 1) log.count('a', { seq })
  log.count('b', { seq: 1 })
  expect(lines).toEqual([
    { seq: 0, count: 1 },
    { seq: 1, count: 1 },
  ])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(lines.slice(2)).toEqual([{ seq: 499, count: 499 }])
  await vi.advanceTimersByTimeAsync(2_000)
  expect(lines).toHaveLength(3)
  log.count('a', { seq: 7 })
  expect(lines.at(-1)).toEqual({ seq: 7, count: 1 })
})

test('keys beyond the limit share a line', async () => {
  const lines: unknown[] = []
  const log = countedLog((fields) => lines.push(fields), { intervalMs: 1_000, maxKeys: 10 })
  for (let i = 0; i < 100; i += 1) log.count(`key ${i}`, { i })
  expect(lines).toHaveLength(11)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(lines.at(-1)).toEqual({ others: true, count: 89 })
})

test('a close writes what was counted', () => {
  const lines: unknown[] = []
  const log = countedLog((fields) => lines.push(fields))
  log.count('a', {})
  log.count('a', {})
  log.close()
  expect(lines).toEqual([{ count: 1 }, { count: 1 }])
})

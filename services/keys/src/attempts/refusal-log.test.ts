import { createLogger } from '@whereabouts/service-kit/logging'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRefusalLog } from './refusal-log.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The log, line by line. */
function logged() {
  const log = createLogger('keys', 'silent')
  const lines: unknown[] = []
  vi.spyOn(log, 'warn').mockImplementation((fields: unknown) => void lines.push(fields))
  return { log, lines }
}

test('an address has one line per interval, however often it is refused', async () => {
  const { log, lines } = logged()
  const refusals = createRefusalLog(log, 1_000)
  for (let i = 0; i < 500; i += 1) refusals.count('203.0.113.9')
  refusals.count('198.51.100.7')
  expect(lines).toEqual([])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(lines).toEqual([
    { address: '203.0.113.9', refused: 500 },
    { address: '198.51.100.7', refused: 1 },
  ])
  refusals.count('203.0.113.9')
  await vi.advanceTimersByTimeAsync(1_000)
  expect(lines.slice(2)).toEqual([{ address: '203.0.113.9', refused: 1 }])
})

test('addresses beyond the limit are counted together', async () => {
  const { log, lines } = logged()
  const refusals = createRefusalLog(log, 1_000)
  for (let i = 0; i < 1_500; i += 1) refusals.count(`address ${i}`)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(lines).toHaveLength(1_001)
  expect(lines.at(-1)).toEqual({ address: 'others', refused: 500 })
})

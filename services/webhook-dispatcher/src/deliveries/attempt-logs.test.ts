import { logKeeper } from '@whereabouts/testing/broker/bus'
import { expect, test } from 'vitest'
import { attemptLogs } from './attempt-logs.ts'

test('a receiver that fails all the time has one line per outcome and minute, with a count', () => {
  const { logger, lines } = logKeeper()
  const logs = attemptLogs(logger)
  for (let n = 1; n <= 100; n += 1) {
    const about = { org_id: 7, delivery_id: `d${n}`, attempt: 1, latency_ms: n }
    logs.failed({ ...about, outcome: 'failed', status: 500, error: undefined })
    logs.dropped({ org_id: 7, delivery_id: `d${n}`, reason: 'lane_full', attempts: 0 })
  }
  logs.dropped({ org_id: 8, delivery_id: 'theirs', reason: 'lane_full', attempts: 0 })
  logs.close()
  expect(lines.map(({ text, org_id, count }) => [text, org_id, count])).toEqual([
    ['delivery attempt', 7, 1],
    ['delivery dropped', 7, 1],
    ['delivery dropped', 8, 1],
    ['delivery attempt', 7, 99],
    ['delivery dropped', 7, 99],
  ])
})

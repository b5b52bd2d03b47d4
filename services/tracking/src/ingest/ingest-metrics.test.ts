import { createRegistry } from '@whereabouts/service-kit/observe/metrics'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ingestMetrics } from './ingest-metrics.ts'

const NOW = Date.parse('2026-11-21T10:00:00.000Z')
beforeEach(() => vi.useFakeTimers({ now: NOW, toFake: ['Date'] }))
afterEach(() => vi.useRealTimers())

const decoded = {
  identity: null,
  reads: [],
  health: [],
  errors: [],
  errors_omitted: 0,
  isDeadLetter: false,
}
const message = (ageMs: number) => ({ orgId: 7, readerKey: 'dock', receivedAtMs: NOW - ageMs, decoded })

test('D8.9 a message stored within the second keeps the promise; the delay of a batch is that of its oldest message', async () => {
  const registry = createRegistry('test')
  const metrics = ingestMetrics(registry)
  metrics.finished([message(20), message(1_000), message(1_001), message(4_000)])
  const text = await registry.metrics()
  expect(text).toContain('ingest_messages_total{promise="kept",service="test"} 2')
  expect(text).toContain('ingest_messages_total{promise="late",service="test"} 2')
  expect(text).toContain('ingest_delay_seconds_sum{service="test"} 4')
  expect(text).toContain('ingest_delay_seconds_count{service="test"} 1')
})

test('a broker whose clock is ahead causes no negative delay', async () => {
  const registry = createRegistry('test')
  ingestMetrics(registry).finished([message(-5_000)])
  expect(await registry.metrics()).toContain('ingest_delay_seconds_sum{service="test"} 0')
})

test('an organization whose messages become dead letters is counted', async () => {
  const registry = createRegistry('test')
  const metrics = ingestMetrics(registry)
  for (let n = 0; n <= 100; n += 1) metrics.unusable(7)
  expect(await registry.metrics()).toContain('ingest_organizations_with_unusable_messages{service="test"} 1')
})

test('D18.7 reads that are too weak, or set aside, are counted', async () => {
  const registry = createRegistry('test')
  const metrics = ingestMetrics(registry)
  const activity = { orgId: 7, readerKey: 'dock', activity: { seenAtMs: NOW, reads: 9, reads_too_weak: 3 } }
  const batch = { observed: 6, observations: [], activity: [activity], unknownTags: [] }
  for (let n = 0; n < 3; n += 1) metrics.resolved(batch, { fresh: 4, outvoted: 2 })
  const text = await registry.metrics()
  for (const [outcome, count] of [
    ['observed', 18],
    ['thinned', 6],
    ['outvoted', 6],
    ['too_weak', 9],
  ])
    // oxfmt-ignore
    expect(text).toContain(`ingest_reads_total{outcome="${outcome}",service="test"} ${count}`)
})

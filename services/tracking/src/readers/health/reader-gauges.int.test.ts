import { eventually } from '@whereabouts/testing/eventually'
import { createRegistry } from '@whereabouts/service-kit/observe/metrics'
import { expect } from 'vitest'
import { log, test } from '../../../test/tracking.fixture.ts'
import { startReaderGauges } from './reader-gauges.ts'
import { NO_COUNTS, type HealthEntry } from './health-entry.ts'
import { addHealth } from './reader-health.queries.ts'
import { NO_READS } from './recent-reads.ts'

const entry = (org_id: number, reader_key: string, more: Partial<HealthEntry> = {}): HealthEntry => ({
  org_id,
  reader_key,
  last_seen_ms: Date.now(),
  identity: null,
  last_problem: null,
  last_problem_ms: null,
  last_problem_message: null,
  problem_messages: [],
  clock_offset_ms: null,
  right_seen_ms: null,
  right_newest_ms: null,
  clock: null,
  identities: null,
  device: null,
  hours: new Map(),
  ...NO_READS,
  ...NO_COUNTS,
  ...more,
})

const HOUR_MS = 3_600_000

test('the gauges count readers of all organizations by state, recent problems, and the days ahead', async ({
  tracking,
}) => {
  const { db } = tracking
  await addHealth(db, [
    entry(7, 'dock'),
    entry(7, 'gate', { last_seen_ms: Date.now() - HOUR_MS, clock_offset_ms: 90_000 }),
    entry(8, 'dock', { clock_offset_ms: -45_000 }),
    entry(8, 'unconfigured', { last_problem: 'not JSON', last_problem_ms: Date.now() }),
  ])
  const reader = (org_id: number, reader_key: string) => ({
    org_id,
    reader_key,
    name: reader_key,
    format: 'canonical',
  })
  await db
    .insertInto('reader')
    .values([reader(7, 'dock'), reader(7, 'gate'), reader(8, 'dock'), reader(8, 'new')])
    .execute()
  const registry = createRegistry('tracking')
  const gauges = startReaderGauges({ db, registry, log })
  const text = await eventually(async () => {
    const metrics = await registry.metrics()
    expect(metrics).toContain('readers{')
    return metrics
  })
  await gauges.stop()
  for (const line of [
    'readers{kind="configured",state="online",service="tracking"} 2',
    'readers{kind="configured",state="silent",service="tracking"} 1',
    'readers{kind="configured",state="never_heard",service="tracking"} 1',
    'readers{kind="discovered",state="online",service="tracking"} 1',
    'readers{kind="discovered",state="silent",service="tracking"} 0',
    'readers_skewed{service="tracking"} 1', // the other was last heard an hour ago
    'readers_with_problems{service="tracking"} 1',
    'unknown_tags{service="tracking"} 0',
    'history_days_waiting{service="tracking"} 0',
    'history_days_ahead{service="tracking"} 7',
  ])
    expect(text).toContain(line)
})

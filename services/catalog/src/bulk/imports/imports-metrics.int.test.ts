import { eventually } from '@whereabouts/testing/eventually'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { createRegistry, type Registry } from '@whereabouts/service-kit/observe/metrics'
import { expect } from 'vitest'
import { test } from '../../../test/imports.fixture.ts'
import { batchMetrics, startImportGauges } from './imports-metrics.ts'
import { startImportWorker } from './imports.loop.ts'

const log = createLogger('catalog', 'silent')

async function valuesOf(registry: Registry, metric: string): Promise<Record<string, number>> {
  const found = await registry.getSingleMetric(metric)?.get()
  return Object.fromEntries(
    found?.values.map(({ labels, value }) => [Object.values(labels).join(), value]) ?? [],
  )
}

test('gauges show imports by state and the longest wait, a counter the batches', async ({
  service,
  files,
}) => {
  const { database, tenants } = service
  const registry = createRegistry('catalog')
  const sent = await files.send('assets', 'external_key,name\nA-1,One\nA-2,Two\n')
  await database.pool.query(`update import set worked_at = worked_at - interval '20 minutes'`)
  const before = startImportGauges({ across: database.worker.db, registry, log })
  await eventually(async () => expect((await valuesOf(registry, 'imports'))['pending']).toBe(1))
  expect((await valuesOf(registry, 'import_oldest_waiting_seconds'))['']).toBeGreaterThan(1_100)
  await before.stop()

  const again = createRegistry('catalog')
  const worker = startImportWorker({
    across: database.worker.db,
    tenants,
    log,
    wakeOutbox: () => undefined,
    registry: again,
    onBatch: batchMetrics(again),
  })
  await files.finished(sent.id)
  await worker.stop()
  const after = startImportGauges({ across: database.worker.db, registry: again, log })
  await eventually(async () => expect((await valuesOf(again, 'imports'))['done']).toBe(1))
  await after.stop()
  expect(await valuesOf(again, 'imports')).toMatchObject({ pending: 0, running: 0, failed: 0 })
  expect(await valuesOf(again, 'import_oldest_waiting_seconds')).toEqual({ '': 0 })
  expect(await valuesOf(again, 'import_batches_total')).toEqual({ done: 1, failed: 0 })
  expect((await valuesOf(again, 'timed_work_failures_total'))['imports']).toBe(0)
})

import { assetState, locationState, tagState } from '@whereabouts/contracts/messages/catalog-state'
import { consumeBatches } from '@whereabouts/messaging/consume/consume'
import { publish } from '@whereabouts/messaging/messages/publish'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { createRegistry } from '@whereabouts/service-kit/observe/metrics'
import type { Bus } from '@whereabouts/testing/broker/bus'
import { busTest } from '@whereabouts/testing/broker/broker-fixtures'
import { createServiceDatabase } from '@whereabouts/testing/database/database'
import { expect, vi } from 'vitest'
import type { Tables } from '../db.ts'
import { CatalogStandIn } from '../../test/tracking.fixture.ts'
import { followCatalog } from './catalog-follower.ts'
import { CatalogView } from './catalog-view.ts'
import { startProgressLoop } from './progress.loop.ts'
import { projectionsConsumer } from './projections.consumer.ts'

const ASSETS = 1_500
const PATIENTLY = { timeout: 50_000 } // while other suites fill every core

const migrations = new URL('../../migrations', import.meta.url).pathname
const test = busTest.extend('database', async ({}, { onCleanup }) => {
  const database = await createServiceDatabase<Tables>('tracking', migrations)
  onCleanup(() => database.drop())
  return database
})

/** A catalog in its stream. */
async function fillStream({ broker }: Bus): Promise<CatalogStandIn> {
  const catalog = new CatalogStandIn()
  const hall = catalog.location(1, 'Hall')
  catalog.location(1, 'Aisle', { parent_id: hall.id })
  for (let i = 0; i < ASSETS; i += 1) catalog.tag(catalog.asset(1, `Tote ${i}`), `E2:${i}`)
  const send = (subject: string, payload: { id: number }) =>
    publish(broker, { subject, payload, msgId: String(payload.id) }, PATIENTLY.timeout)
  // Tags first: in a compacted stream, they may be before their assets.
  await Promise.all(catalog.tags.map((tag) => send(tagState.subject(tag), tag)))
  await Promise.all(catalog.assets.map((asset) => send(assetState.subject(asset), asset)))
  await Promise.all(catalog.locations.map((location) => send(locationState.subject(location), location)))
  return catalog
}

test('view and tables are rebuilt from the stream, and report their progress', async ({
  bus,
  database: { db },
}) => {
  const catalog = await fillStream(bus)
  const messages = catalog.assets.length + catalog.tags.length + catalog.locations.length
  const log = createLogger('tracking', 'silent')
  const registry = createRegistry('tracking')
  const view = new CatalogView()
  const follower = followCatalog(bus.broker, view, log)
  const progress = startProgressLoop({ broker: bus.broker, follower, registry, log: bus.logger, everyMs: 5 })
  await vi.waitUntil(() => progress.now().tables !== undefined, PATIENTLY)
  expect(progress.now().tables).toEqual({ applied_seq: 0, head_seq: messages, pending: messages })

  const consumer = consumeBatches(bus.broker, projectionsConsumer({ db, onTags: async () => undefined }), {
    logger: log,
  })
  await follower.caughtUp
  await vi.waitUntil(() => progress.now().tables?.pending === 0, PATIENTLY)
  const done = { applied_seq: messages, head_seq: messages, pending: 0 }
  expect(progress.now()).toEqual({ view: done, tables: done })
  const metrics = await registry.metrics()
  for (const projection of ['view', 'tables'])
    expect(metrics).toContain(
      `catalog_projection_applied_seq{projection="${projection}",service="tracking"} ${messages}`,
    )
  // A state that is published later moves the head on.
  const [asset] = catalog.assets
  if (asset) await publish(bus.broker, { subject: assetState.subject(asset), payload: asset, msgId: 'later' })
  const further = { applied_seq: messages + 1, head_seq: messages + 1, pending: 0 }
  await vi.waitUntil(() => progress.now().view.applied_seq === messages + 1, PATIENTLY)
  expect(progress.now().view).toEqual(further)
  const told = bus.log.find((line) => line.text === 'reading the catalog' && line['projection'] === 'tables')
  expect(told).toMatchObject({ applied_seq: 0, head_seq: messages, pending: messages })

  expect(view.sizes()).toEqual({ assets: ASSETS, tags: ASSETS, locations: 2 })
  expect(view.withDescendants(1, [catalog.locations[0]?.id ?? 0])).toHaveLength(2)
  const names = await db.selectFrom('asset').select('name').orderBy('id').execute()
  expect(names).toEqual(catalog.assets.map(({ name }) => ({ name })))
  const tags = await db.selectFrom('tag').select(['id', 'asset_id']).orderBy('id').execute()
  expect(tags).toEqual(catalog.tags.map(({ id, asset_id }) => ({ id, asset_id })))
  await Promise.all([progress.stop(), consumer.stop(), follower.stop()])
})

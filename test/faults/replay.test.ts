import { connect, nanos } from 'nats'
import pg from 'pg'
import { republishEnvFile } from '@whereabouts/deploy/workshop/stack/ops-env'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { runProgram } from '../system/operator.ts'
import { newAsset, newLocation, newOrganization, newReader, reportRows } from '../system/organization.ts'
import { connectReader } from '../system/readers.ts'
import { startSystem, type System } from '../system/system.ts'

let system: System
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())

const SETTLED = { timeout: 30_000, interval: 1_000 } // the key's bucket refills by one request a second
const REPUBLISH = 'services/catalog/src/republish/main.ts'

/** The broker lost the stream, and tracking the tables that were filled from it. */
async function loseCatalogStream(): Promise<void> {
  const { urls, secrets } = system.stack
  const nc = await connect({ servers: urls.nats, user: 'services', pass: secrets.nats.services_password })
  const jsm = await nc.jetstreamManager()
  const { config } = await jsm.streams.info('CATALOG')
  // The broker refuses to purge it, but applies new limits.
  const short = { max_age: nanos(100), duplicate_window: nanos(100) }
  await jsm.streams.update('CATALOG', { ...config, ...short })
  await vi.waitUntil(async () => (await jsm.streams.info('CATALOG')).state.messages === 0, SETTLED)
  await jsm.streams.update('CATALOG', config)
  await nc.close()
  const database = new URL(urls.postgres)
  database.pathname = '/whereabouts'
  const client = new pg.Client({ connectionString: database.href })
  await client.connect()
  await client.query('truncate tracking.asset, tracking.location, tracking.tag').finally(() => client.end())
}

const republish = (...args: string[]) =>
  runProgram([`--env-file=${republishEnvFile(system.stack.dataDir)}`, REPUBLISH, ...args])

test(
  'republishing rebuilds tracking from nothing: names, keys, tags and deletions',
  { timeout: 120_000 },
  async () => {
    const { stack } = system
    const org = await newOrganization(stack, 'replayed')
    const dock = await newLocation(org, 'Dock', 'DOCK')
    await newReader(org, { key: 'gate', format: 'canonical', locationId: dock, antennas: 1 })
    const [kept, gone] = [
      await newAsset(org, 'Kept', [{ tag_type: 'rfid', value: 'E28011606000020A00000001' }]),
      await newAsset(org, 'Gone', [{ tag_type: 'rfid', value: 'E28011606000020A00000002' }]),
    ]
    const reader = await connectReader(stack, org.readerKey, 'nats')
    const scan = (...values: string[]) =>
      reader.publish(
        org.id,
        'gate',
        'canonical',
        Buffer.from(JSON.stringify({ reads: values.map((value) => ({ tag: { type: 'rfid', value } })) })),
      )
    await scan('E28011606000020A00000001', 'E28011606000020A00000002')
    await vi.waitUntil(async () => (await reportRows(org)).length === 2, SETTLED)
    await org.integrator.DELETE('/api/v1/assets/{asset_id}', { params: { path: { asset_id: gone.id } } })
    await vi.waitUntil(async () => (await reportRows(org)).length === 1, SETTLED)
    const before = await reportRows(org)

    const tracking = stack.service('tracking')
    await tracking.kill('SIGKILL')
    await loseCatalogStream()
    tracking.start()
    await tracking.waitReady()
    expect(await reportRows(org)).toEqual([])

    const ran = await republish('--batch-size', '3', '--queue', '2')
    expect(ran.stderr + ran.stdout).toContain('everything published')
    expect(ran.exitCode).toBe(0)
    await vi.waitUntil(async () => (await reportRows(org)).length === 1, SETTLED)
    expect(await reportRows(org)).toEqual(before)
    expect(before[0]?.asset_id).toBe(kept.id)
    await reader.close()
  },
)

test('without a running catalog it fails and names the reason', { timeout: 60_000 }, async () => {
  const catalog = system.stack.service('catalog')
  await catalog.kill('SIGKILL')
  const ran = await republish('--patience', '1', '--queue', '0')
  expect(ran.exitCode).toBe(1)
  expect(ran.stderr + ran.stdout).toContain('Is catalog running?')
  catalog.start()
  await catalog.waitReady()
})

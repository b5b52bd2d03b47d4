import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, exchangeKey, unwrap } from '@whereabouts/client/client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  contentHashes,
  deploy,
  destroyDatabase,
  destroyStreams,
  dump,
  query,
  restore,
  startServices,
  stopServices,
  subjectsInDatabase,
  subjectsOf,
} from '../system/backup.ts'
import {
  historyRows,
  mintKey,
  newAsset,
  newLocation,
  newOrganization,
  newReader,
  newWebhook,
  reportRows,
  signInAgain,
  type ApiKey,
  type Organization,
} from '../system/organization.ts'
import { connectReader } from '../system/readers.ts'
import { startSystem, type System } from '../system/system.ts'

const MINUTE = 60_000
const SETTLED = { timeout: 20_000, interval: 250 }

type Site = { org: Organization; name: string; assets: { id: number; tag: string }[] }

let system: System
let folder: string
let sites: [Site, Site]
/** The time of the next scan, which is later than the one before. */
let clock = Date.now() - 20 * 60 * MINUTE
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'whereabouts-restore-'))
  system = await startSystem()
  sites = [await newSite('first'), await newSite('second')]
})
afterAll(async () => {
  await system.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function newSite(name: string): Promise<Site> {
  const org = await newOrganization(system.stack, name)
  for (const place of ['DOCK', 'SHELF']) {
    const locationId = await newLocation(org, place, place)
    await newReader(org, { key: place.toLowerCase(), format: 'canonical', locationId, antennas: 1 })
  }
  await newWebhook(org, system.receiver.url.replace('/hook', `/${name}`))
  const assets = []
  for (let i = 0; i < 3; i += 1) {
    const tag = `${name}-${i}`
    assets.push({ id: (await newAsset(org, tag, [{ tag_type: 'barcode', value: tag }])).id, tag })
  }
  const site = { org, name, assets }
  await scan(site)
  await unrevoked(site, 'revoked before every backup').then((key) => revoke(org, key))
  return site
}

/** Moves all assets of a site from the dock to the shelf or back. Waits until that is stored and announced. */
async function scan(site: Site): Promise<void> {
  const { org, assets, name } = site
  const row = (await reportRows(org)).find(({ asset_id: id }) => id === assets[0]?.id)
  const reader = row?.location_external_key === 'DOCK' ? 'shelf' : 'dock'
  clock += MINUTE
  const at = new Date(clock).toISOString()
  const events = moves(name).length
  const link = await connectReader(system.stack, org.readerKey, 'nats')
  const reads = assets.map(({ tag }) => ({ tag: { type: 'barcode', value: tag }, read_at: at }))
  await link.publish(org.id, reader, 'canonical', Buffer.from(JSON.stringify({ reads })))
  await link.close()
  await vi.waitUntil(async () => (await lastSeen(site)).every((seen) => seen === at), SETTLED)
  await vi.waitUntil(() => moves(name).length >= events + assets.length, SETTLED)
}

const lastSeen = async ({ org, assets }: Site) => {
  const rows = await reportRows(org)
  return assets.map(({ id }) => rows.find((row) => row.asset_id === id)?.asset_last_seen)
}

const announced = () =>
  new Set(system.receiver.received.map(({ body }) => (JSON.parse(body.toString()) as Announced).delivery_id))
type Announced = { delivery_id: string }

const moves = (name: string) => system.receiver.received.filter(({ path }) => path === `/${name}`)

const unrevoked = ({ org }: Site, name: string) =>
  mintKey(org.admin, org.id, name, ['assets:read', 'scans:write'])

async function revoke(org: Organization, { clientId }: ApiKey): Promise<void> {
  const params = { path: { org_id: org.id, key_id: clientId } }
  const { response } = await org.admin.DELETE('/api/v1/orgs/{org_id}/api-keys/{key_id}', { params })
  expect(response.status).toBe(204)
}

const anyone = () => createClient({ baseUrl: system.stack.urls.base })
const isRefused = (key: ApiKey) => exchangeKey(anyone(), key).then(() => false, () => true) // oxfmt-ignore

/**
 * Current and past locations of each asset in both organizations; without names, because a restore may bring older
 * ones.
 */
async function places() {
  const all = []
  for (const { org, assets } of sites) {
    const report = (await reportRows(org)).map((row) => [row.asset_id, row.location_id, row.asset_last_seen])
    const histories = []
    for (const { id } of assets)
      histories.push((await historyRows(org, id)).map((row) => [row.location_id, row.event_observed_at]))
    all.push({ report, histories })
  }
  return all
}

/** An older database ends all sessions, and tokens end with them. */
async function signAllInAgain(): Promise<void> {
  for (const site of sites) site.org = await signInAgain(system.stack, site.org)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return Math.round(performance.now() - begin)
}

/** The hashes of these tables for the organizations of the sites. */
function pick(hashes: ReadonlyMap<string, string>, tables: readonly string[]) {
  const names = tables.flatMap((table) => sites.map(({ org }) => `${table} ${org.id}`))
  return Object.fromEntries(names.map((name) => [name, hashes.get(name)]))
}

const CATALOG = ['catalog.asset', 'catalog.location', 'catalog.tag']
const OWNED = ['webhooks.webhook', 'tracking.reader', 'tracking.scan_point', 'keys.membership']
const SEEN = ['tracking.scan', 'tracking.position']

const reported = (report: string, file: string): string =>
  readdirSync(report).includes(file) ? readFileSync(join(report, file), 'utf8') : ''

/** Backs up, then makes the changes before the loss: a rename, a new asset, a revocation, an announced movement. */
async function backUpAndChange(label: string) {
  const [first, second] = sites
  const key = await unrevoked(first, label)
  const file = join(folder, `${label}.dump`)
  await dump(system.stack, file)
  const backup = await contentHashes(system.stack)
  const [renamed] = first.assets
  const params = { path: { asset_id: renamed?.id ?? 0 } }
  unwrap(await first.org.integrator.PATCH('/api/v1/assets/{asset_id}', { params, body: { name: label } }))
  const late = await newAsset(second.org, `late ${label}`, [{ tag_type: 'barcode', value: label }])
  await revoke(first.org, key)
  for (const site of sites) await scan(site)
  return { file, backup, key, late, before: await places() }
}

/** Checked before a service runs, because a service would repair one or query past the other. */
async function expectAgreement(): Promise<void> {
  const { catalog, keys } = await subjectsInDatabase(system.stack)
  expect(await subjectsOf(system.stack, 'CATALOG')).toEqual(catalog)
  // Also ends of sessions and chains, which expire from the stream.
  const stored = await subjectsOf(system.stack, 'KEYS')
  expect(stored.filter((subject) => !subject.startsWith('keys.chain.'))).toEqual(keys)
}

/** Data that the backup lacks is gone everywhere: its tag can be attached to another asset, whose scans then count. */
async function expectGone(label: string, given: number): Promise<void> {
  const [, { org }] = sites
  const { id } = await newAsset(org, 'another', [{ tag_type: 'barcode', value: label }])
  const link = await connectReader(system.stack, org.readerKey, 'nats')
  const reads = [{ tag: { type: 'barcode', value: label } }]
  await link.publish(org.id, 'dock', 'canonical', Buffer.from(JSON.stringify({ reads })))
  await link.close()
  expect(id).not.toBe(given)
  await vi.waitUntil(async () => (await historyRows(org, id)).length === 1, SETTLED)
}

/** A movement of every asset is stored and announced, and new ids were never issued before. */
async function expectWell(given: number): Promise<void> {
  for (const site of sites) {
    await scan(site)
    await scan(site)
  }
  const ids = [await newAsset(sites[1].org, 'after', []), await newAsset(sites[0].org, 'after', [])]
  expect(ids.map(({ id }) => id)).not.toContain(given)
}

test('the database is lost, the streams are not: scans and revocations since the backup come back', async () => {
  const { stack } = system
  const { file, backup, key, late, before } = await backUpAndChange('database')
  const full = await contentHashes(stack)
  const told = announced()
  await expect(deploy(stack, 'backup/after-restore.ts', { RESTORED: 'database' })).rejects.toThrow(
    'stop the services first',
  )
  await stopServices(stack)
  await destroyDatabase(stack)
  await restore(stack, file)
  const report = join(folder, 'database')
  const env = { RESTORED: 'database', REPORT_DIR: report }
  await deploy(stack, 'backup/after-restore.ts', env)
  await deploy(stack, 'backup/after-restore.ts', env) // a second run changes nothing
  await expectAgreement()
  await startServices(stack)
  await signAllInAgain()

  await vi.waitUntil(async () => JSON.stringify(await places()) === JSON.stringify(before), SETTLED)
  const after = await contentHashes(stack)
  expect(pick(after, [...CATALOG, ...OWNED])).toEqual(pick(backup, [...CATALOG, ...OWNED]))
  expect(pick(after, SEEN)).toEqual(pick(full, SEEN))
  expect(announced()).toEqual(told)
  expect(await isRefused(key)).toBe(true)
  expect(reported(report, 'catalog-not-in-the-backup.jsonl')).toContain(`"id":${late.id}`)
  await expectGone('database', late.id)
  await expectWell(late.id)
}, 90_000)

test('the streams are lost, the database is not: nothing is lost', async () => {
  const { stack } = system
  const { key, late, before } = await backUpAndChange('streams')
  await stopServices(stack)
  const full = await contentHashes(stack)
  await destroyStreams(stack)
  await deploy(stack, 'backup/after-restore.ts', { RESTORED: 'streams', REPORT_DIR: folder })
  expect(await contentHashes(stack)).toEqual(full)
  await expectAgreement()
  await startServices(stack)

  expect(await places()).toEqual(before)
  expect(await isRefused(key)).toBe(true)
  await expectWell(late.id)
}, 90_000)

test('both are lost: the backup is restored, and the report says what to check', async () => {
  const { stack } = system
  const atBackup = await places()
  const { file, backup, key, late } = await backUpAndChange('both')
  await stopServices(stack)
  await destroyDatabase(stack)
  await destroyStreams(stack)
  const report = join(folder, 'both')
  const restoredMs = await timed(() => restore(stack, file))
  const env = { RESTORED: 'database', REPORT_DIR: report }
  const agreedMs = await timed(() => deploy(stack, 'backup/after-restore.ts', env))
  console.log(`restored in ${restoredMs} ms, database and streams agree after ${agreedMs} ms more`)
  await expectAgreement()
  await startServices(stack)
  await signAllInAgain()

  expect(await places()).toEqual(atBackup)
  const after = await contentHashes(stack)
  expect(pick(after, [...CATALOG, ...OWNED, ...SEEN])).toEqual(pick(backup, [...CATALOG, ...OWNED, ...SEEN]))
  expect(reported(report, 'keys-to-check.jsonl')).toContain(key.clientId)
  expect(await isRefused(key)).toBe(false) // no copy of the revocation was left
  await expectGone('both', late.id)
  await expectWell(late.id)
  const old = await query<{ count: number }>(stack, 'select count(*)::int as count from keys.api_key where revoked_at is not null') // oxfmt-ignore
  expect(old[0]?.count).toBeGreaterThanOrEqual(sites.length)
}, 90_000)

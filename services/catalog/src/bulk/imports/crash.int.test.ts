import type { ImportRowView } from '@whereabouts/contracts/resources/catalog/imports'
import type { AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { describe, expect, onTestFinished } from 'vitest'
import type { Catalog } from '../../../test/catalog.fixture.ts'
import { test, type Imports } from '../../../test/imports.fixture.ts'
import { workBatch } from './batch.ts'
import { claimImport, releaseClaim } from './claims.queries.ts'
import { startImportWorker, type ImportWorker } from './imports.loop.ts'

const PROGRAM = fileURLToPath(new URL('../../../test/worker-process.fixture.ts', import.meta.url))

/** Stops with its test at the latest: after a failure it would take the imports of the tests behind it. */
function workerOn({ database, tenants }: Catalog, batchRows = 10, maxQueued = 1_000_000): ImportWorker {
  const worker = startImportWorker({
    across: database.worker.db,
    tenants,
    wakeOutbox: () => undefined,
    log: createLogger('imports', 'silent'),
    maxQueued,
    pollMs: 20,
    batchRows,
  })
  onTestFinished(() => worker.stop())
  return worker
}

/** Lets the lease expire. */
const endLeases = ({ database: { pool } }: Catalog) =>
  pool.query(`update import set lease_until = clock_timestamp() where lease_until is not null`)

/** Rows without a key: a row that is executed twice makes two assets. */
const minting = (count: number) => ['name', ...Array.from({ length: count }, (_, i) => `n${i}`)].join('\n')

test('D19.5 a file whose parents come last continues after batches that broke off, in any worker', async ({
  catalog,
  files,
}) => {
  const count = 40
  const rows = Array.from({ length: count }, (_, i) => `L-${i},n,${i === count - 1 ? '' : `L-${i + 1}`}`)
  const { id } = await files.send('locations', ['external_key,name,parent_external_key', ...rows].join('\n'))
  const { database, tenants, orgId } = catalog
  for (let turn = 1; turn <= 3; turn += 1) {
    const worker = randomUUID()
    const claim = await claimImport(database.worker.db, worker)
    if (!claim) throw new Error('there is an import to claim')
    await tenants.transaction(orgId, (tx) => workBatch(tx, claim, worker, 7))
    const broken = tenants.transaction(orgId, async (tx) => {
      await workBatch(tx, claim, worker, 7)
      throw new Error('it broke off')
    })
    await expect(broken).rejects.toThrow('it broke off')
    expect((await files.rows(id)).length).toBe(7 * turn)
    await endLeases(catalog)
  }
  workerOn(catalog)
  expect(await files.finished(id)).toMatchObject({ state: 'done', created: count, failed: 0 })
  expect((await files.rows(id)).map(({ line }) => line)).toEqual(rows.map((_, i) => i + 2))
})

async function expectOnce(
  catalog: Catalog,
  imports: Imports,
  id: number,
  count: number,
  as?: { org: number },
) {
  expect(await imports.finished(id, as)).toMatchObject({ state: 'done', created: count, rows_done: count })
  const rows = await imports.rows(id, as)
  expect(rows.map(({ line }) => line)).toEqual(Array.from({ length: count }, (_, i) => i + 2))
  const numbers = rows.map(({ external_key }) => Number(external_key?.slice(-4)))
  expect(numbers).toEqual(Array.from({ length: count }, (_, i) => i + 1))
  expect((await catalog.get('/assets?limit=1', as)).json().total_count).toBe(count)
  const org = as?.org ?? catalog.orgId
  const { rows: sent } = await catalog.database.pool.query(
    `select subject from outbox where (payload ->> 'org_id')::bigint = $1 and subject like 'catalog.%'`,
    [org],
  )
  expect(new Set(sent.map(({ subject }: { subject: string }) => subject)).size).toBe(count)
  expect(sent).toHaveLength(count)
  await expectEvents(catalog, rows, org)
}

/** One event per row, and one of each end. Those of new assets are in the order of the file. */
async function expectEvents(catalog: Catalog, rows: readonly ImportRowView[], org = catalog.orgId, ends = 1) {
  const idOf = ({ data }: { data: Record<string, unknown> }) => (data['asset'] as AssetView).id
  const events = await catalog.takeEvents(org)
  const ofType = (type: string) => events.filter((event) => event.type === type).map(idOf)
  const idsOf = (outcome: string) => rows.filter((row) => row.outcome === outcome).map(({ id }) => id)
  expect(ofType('asset.created')).toEqual(idsOf('created'))
  expect(new Set(ofType('asset.updated'))).toEqual(new Set(idsOf('updated')))
  expect(events.at(-1)?.type).toBe('import.finished')
  expect(events).toHaveLength(rows.length + ends)
}

describe('D10 D13.1 each row is executed once, and has one event', () => {
  test('if the worker is killed in the middle of a batch', async ({ catalog, files }) => {
    const { id: held } = await catalog.asset({ external_key: 'HELD' })
    await catalog.takeOutbox()
    await catalog.takeEvents()
    // A lock stops the fourth batch, so that the worker is in the middle of it.
    const holder = await catalog.database.pool.connect()
    await holder.query('begin')
    await holder.query('select from asset where id = $1 for update', [held])
    const rows = Array.from({ length: 60 }, (_, i) => `${i === 35 ? 'HELD' : ''},n${i}`)
    const { id } = await files.send('assets', ['external_key,name', ...rows].join('\n'))
    const doomed = spawn(process.execPath, [PROGRAM, catalog.database.url], { stdio: 'inherit' })
    try {
      await expect.poll(() => catalog.waitingForLocks(), { timeout: 10_000, interval: 5 }).toBeGreaterThan(0)
      doomed.kill('SIGKILL')
      await once(doomed, 'exit')
      await holder.query('rollback')
    } finally {
      doomed.kill('SIGKILL')
      holder.release(true)
    }
    expect((await files.rows(id)).length).toBeGreaterThanOrEqual(30)
    await endLeases(catalog)
    const next = workerOn(catalog)
    expect(await files.finished(id)).toMatchObject({ state: 'done', created: 59, updated: 1, rows_done: 60 })
    await next.stop()
    const outcomes = await files.rows(id)
    expect(outcomes.map(({ line }) => line)).toEqual(rows.map((_, i) => i + 2))
    const minted = outcomes.filter(({ outcome }) => outcome === 'created')
    const numbers = minted.map(({ external_key }) => Number(external_key?.slice(-4)))
    expect(numbers).toEqual(minted.map((_, i) => i + 1))
    expect((await catalog.get('/assets?limit=1')).json().total_count).toBe(60)
    expect(await catalog.takeOutbox()).toHaveLength(60)
    await expectEvents(catalog, outcomes)
  })

  test('if the worker stops orderly; the next worker continues at once', async ({ catalog, files }) => {
    const { id } = await files.send('assets', minting(80))
    const first = workerOn(catalog, 5)
    await expect.poll(async () => (await files.rows(id)).length, { interval: 5 }).toBeGreaterThan(0)
    await first.stop()
    expect((await files.rows(id)).length % 5).toBe(0)
    const second = workerOn(catalog)
    await expectOnce(catalog, files, id, 80)
    await second.stop()
  })

  test('if a worker resumes after another has taken over', async ({ catalog, files }) => {
    const { id } = await files.send('assets', minting(20))
    const dead = randomUUID()
    const claim = await claimImport(catalog.database.db, dead)
    expect(claim).toEqual({ org_id: catalog.orgId, id, dry_run: false })
    expect(await claimImport(catalog.database.db, randomUUID())).toBeUndefined()
    const batch = () => catalog.tenants.transaction(catalog.orgId, (tx) => workBatch(tx, claim!, dead, 5))
    expect(await batch()).toBe('more')
    await endLeases(catalog)
    const alive = randomUUID()
    expect(await claimImport(catalog.database.db, alive)).toEqual(claim)
    expect(await batch()).toBe('lost')
    await endLeases(catalog)
    const next = workerOn(catalog)
    await expectOnce(catalog, files, id, 20)
    await next.stop()
  })

  test('if the connection breaks in the middle of a batch', async ({ catalog, files }) => {
    const { id } = await files.send('assets', minting(60))
    const worker = workerOn(catalog)
    for (let i = 0; i < 5; i += 1)
      await catalog.database.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'catalog' and state <> 'idle'`,
      )
    await endLeases(catalog)
    await expectOnce(catalog, files, id, 60)
    await worker.stop()
  })

  test('if two workers process imports of several organizations', async ({ catalog, files }) => {
    const orgs = [1, 2, 3].map((i) => catalog.orgId + 100 * i)
    const sent = await Promise.all(orgs.map((org) => files.send('assets', minting(70), { org })))
    const workers = [workerOn(catalog), workerOn(catalog)]
    for (const [i, org] of orgs.entries()) await expectOnce(catalog, files, sent[i]!.id, 70, { org })
    await Promise.all(workers.map((worker) => worker.stop()))
  })

  test('of two imports, in the order of arrival', async ({ catalog, files }) => {
    const csv = (name: string) =>
      `external_key,name\n${Array.from({ length: 30 }, (_, i) => `K-${i},${name}`).join('\n')}`
    const first = await files.send('assets', csv('first'))
    const second = await files.send('assets', csv('second'))
    const workers = [workerOn(catalog, 3), workerOn(catalog, 3)]
    expect(await files.finished(first.id)).toMatchObject({ created: 30 })
    expect(await files.finished(second.id)).toMatchObject({ updated: 30 })
    const rows = [...(await files.rows(first.id)), ...(await files.rows(second.id))]
    await expectEvents(catalog, rows, catalog.orgId, 2)
    await Promise.all(workers.map((worker) => worker.stop()))
  })
})

test('D10 an import that waits for another of its organization delays no other organization', async ({
  catalog,
  files,
  otherOrg,
}) => {
  const claim = async () => (await claimImport(catalog.database.db, randomUUID()))?.id
  const first = await files.send('assets', minting(1))
  const second = await files.send('assets', minting(1))
  const theirs = await files.send('assets', minting(1), { org: otherOrg })
  expect([await claim(), await claim(), await claim()]).toEqual([first.id, theirs.id, undefined])
  await endLeases(catalog)
  const worker = workerOn(catalog)
  for (const { id } of [first, second]) await files.finished(id)
  await files.finished(theirs.id, { org: otherOrg })
  await worker.stop()
})

test('D10 an import is not taken before an older one that another worker is taking', async ({
  catalog,
  files,
}) => {
  const claim = async () => (await claimImport(catalog.database.db, randomUUID()))?.id
  const first = await files.send('assets', minting(1))
  const second = await files.send('assets', minting(1))
  const other = await catalog.database.pool.connect()
  try {
    await other.query('begin')
    await other.query('select from import where id = $1 for update', [first.id])
    expect(await claim()).toBeUndefined()
    await other.query('rollback')
  } finally {
    other.release(true)
  }
  expect(await claim()).toBe(first.id)
  await endLeases(catalog)
  const worker = workerOn(catalog)
  for (const { id } of [first, second]) await files.finished(id)
  await worker.stop()
})

test('D10 an import that was interrupted after a later one came continues, and then the later one', async ({
  catalog,
  files,
}) => {
  const worker = randomUUID()
  const first = await files.send('assets', minting(1))
  const claim = await claimImport(catalog.database.db, worker)
  const second = await files.send('assets', minting(1))
  for (let interruption = 0; interruption < 3; interruption += 1) {
    await releaseClaim(catalog.database.db, claim!, worker)
    expect(await claimImport(catalog.database.db, worker)).toMatchObject({ id: first.id })
  }
  await releaseClaim(catalog.database.db, claim!, worker)
  workerOn(catalog)
  for (const { id } of [first, second]) expect(await files.finished(id)).toMatchObject({ created: 1 })
})

test('D10 a small import does not wait for the large one of another organization', async ({
  catalog,
  files,
  otherOrg,
}) => {
  const large = await files.send('assets', minting(4_000))
  const worker = workerOn(catalog, 2)
  await expect.poll(async () => (await files.rows(large.id)).length, { interval: 5 }).toBeGreaterThan(0)
  const small = await files.send('assets', minting(1), { org: otherOrg })
  await files.finished(small.id, { org: otherOrg })
  expect((await catalog.get(`/imports/${large.id}`)).json().data.state).toBe('running')
  expect((await catalog.delete(`/imports/${large.id}`)).statusCode).toBe(204)
  await worker.stop()
  const { data } = (await catalog.get(`/imports/${large.id}`)).json()
  expect(data).toMatchObject({ state: 'cancelled', finished_at: expect.any(String) })
  // Earlier batches remain, and their messages too.
  expect((await catalog.get('/assets?limit=1')).json().total_count).toBe(data.created)
  expect(await files.rows(large.id)).toHaveLength(data.rows_done)
  expect((await catalog.delete(`/imports/${large.id}`)).statusCode).toBe(204)
  expect((await catalog.get(`/imports/${large.id}`)).statusCode).toBe(404)
})

describe('D10 an unexpected failure', () => {
  const constrain = ({ database: { pool } }: Catalog, table: string, check: string) =>
    pool.query(`alter table ${table} add constraint unforeseen check (${check}) not valid`)
  const relax = ({ database: { pool } }: Catalog, table: string) =>
    pool.query(`alter table ${table} drop constraint unforeseen`)

  test('of a row makes only that row fail', async ({ catalog, files }) => {
    await constrain(catalog, 'asset', `name not like 'poison%'`)
    const names = Array.from({ length: 50 }, (_, i) => (i === 7 || i === 33 ? `poison${i}` : `n${i}`))
    const { id } = await files.send('assets', ['name', ...names].join('\n'))
    const worker = workerOn(catalog, 20)
    expect(await files.finished(id)).toMatchObject({ state: 'done', created: 48, failed: 2 })
    await worker.stop()
    await relax(catalog, 'asset')
    const failed = (await files.rows(id)).filter(({ outcome }) => outcome === 'failed')
    expect(failed.map(({ line }) => line)).toEqual([9, 35])
    expect(failed[0]?.errors).toMatchObject([{ message: 'the row could not be processed' }])
  })

  test('of its outcomes ends the import, so that the next one can run', async ({ catalog, files }) => {
    await constrain(catalog, 'import_row', 'line <> 3')
    const { id } = await files.send('assets', 'external_key,name\nK-0,n\nK-1,n\nK-2,n\n')
    const next = await files.send('assets', 'name\nn\n')
    const worker = workerOn(catalog)
    await files.finished(next.id)
    await worker.stop()
    await relax(catalog, 'import_row')
    expect((await catalog.get(`/imports/${next.id}`)).json().data.state).toBe('done')
    const { data } = (await catalog.get(`/imports/${id}`)).json()
    expect(data).toMatchObject({
      state: 'failed',
      rows_total: 3,
      rows_done: 1,
      finished_at: expect.any(String),
    })
  })
})

test('D10 an import pauses while its messages are not published; a dry run does not', async ({
  catalog,
  files,
}) => {
  await catalog.database.pool.query('delete from outbox')
  const { id } = await files.send('assets', minting(60))
  const dry = await files.send('assets', minting(60), { org: catalog.orgId + 1_000_000, dryRun: true })
  const worker = workerOn(catalog, 10, 25)
  await files.finished(dry.id, { org: catalog.orgId + 1_000_000 })
  const queued = async () =>
    (await catalog.database.pool.query(`select from outbox where subject not like 'audit.%'`)).rowCount
  await expect.poll(queued, { interval: 5 }).toBe(40) // a state and an event of each row
  expect((await catalog.get(`/imports/${id}`)).json().data).toMatchObject({ state: 'running', created: 20 })
  const publish = async () => [await catalog.takeOutbox(), await catalog.takeEvents()]
  await publish()
  await expect.poll(queued, { interval: 5 }).toBe(40)
  await publish()
  await files.finished(id)
  await worker.stop()
})

describe('D10 at the same time as requests of the API', () => {
  /**
   * Runs an import while another transaction is open, which ends when the import waits for it. The import begins after
   * the statements, because it could otherwise be first.
   */
  async function runBeside(catalog: Catalog, files: Imports, statements: string[], id: number) {
    const other = await catalog.database.pool.connect()
    let worker: ImportWorker | undefined
    try {
      await other.query('begin')
      for (const statement of statements) await other.query(statement)
      worker = workerOn(catalog)
      const running = files.finished(id)
      await expect.poll(() => catalog.waitingForLocks(), { timeout: 10_000, interval: 5 }).toBeGreaterThan(0)
      await other.query('commit')
      await running
    } finally {
      other.release(true) // first, because the worker may be waiting for it
      await worker?.stop()
    }
    return files.rows(id)
  }

  test('a key that a request takes first makes the row an update', async ({ catalog, files }) => {
    const { id } = await files.send('assets', 'external_key,name\nK-0,n\nK-1,imported\nK-2,n\n')
    const insert = `insert into asset (org_id, external_key, name) values (${catalog.orgId}, 'K-1', 'theirs')`
    const rows = await runBeside(catalog, files, [insert], id)
    expect(rows.map(({ outcome }) => outcome)).toEqual(['created', 'updated', 'created'])
    const { data } = (await catalog.get('/assets?external_key=K-1')).json()
    expect(data).toMatchObject([{ id: rows[1]?.id, name: 'imported' }])
  })

  test('a tag that a request takes first is taken', async ({ catalog, files }) => {
    const asset = await catalog.asset({ external_key: 'THEIRS' })
    const { id } = await files.send('assets', 'external_key,name,rfid\nK-0,n,\nK-1,n,E1\nK-2,n,\n')
    const insert = `insert into tag (org_id, tag_type, value, match_value, asset_id)
                    values (${catalog.orgId}, 'rfid', 'E1', 'E1', ${asset.id})`
    const rows = await runBeside(catalog, files, [insert], id)
    expect(rows.map(({ outcome }) => outcome)).toEqual(['created', 'failed', 'created'])
    expect(rows[1]?.errors).toMatchObject([{ field: 'rfid', code: 'conflict' }])
  })

  test('a tag that a request removes first is removed', async ({ catalog, files }) => {
    const tags = [{ tag_type: 'rfid' as const, value: 'E1' }]
    const asset = await catalog.asset({ external_key: 'K-1', tags })
    const { id } = await files.send('assets', 'external_key,rfid\nK-1,\n')
    const remove = `update tag set deleted_at = clock_timestamp() where id = ${asset.tags[0]?.id}`
    expect(await runBeside(catalog, files, [remove], id)).toMatchObject([{ outcome: 'unchanged' }])
  })

  test('D5.4 an import waits for an open move anywhere in the tree', async ({ catalog, files }) => {
    const ids: Record<string, number> = {}
    for (const [key, parent] of [['X'], ['W', 'X'], ['Z'], ['Y', 'Z']] as const)
      ids[key] = (await catalog.location({ external_key: key, parent_id: parent ? ids[parent] : null })).id
    const { id } = await files.send('locations', 'external_key,parent_external_key\nZ,W\n')
    const move = [
      `select pg_advisory_xact_lock(hashtextextended('tree:${catalog.orgId}', 0))`,
      `update location set parent_id = ${ids['Y']} where id = ${ids['X']}`,
    ]
    const rows = await runBeside(catalog, files, move, id)
    expect(rows).toMatchObject([{ outcome: 'failed', errors: [{ code: 'conflict' }] }])
  })

  const keys = Array.from({ length: 40 }, (_, i) => `K-${i}`)

  test('assets: no request answers 5xx, and every row has an outcome', async ({ catalog, files }) => {
    const assets: AssetView[] = []
    for (const external_key of keys) assets.push(await catalog.asset({ external_key }))
    const rows = Array.from(
      { length: 600 },
      (_, i) => `${i % 7 === 0 ? '' : keys[i % 40]},name ${i},t${i % 50}|u${i % 40}`,
    )
    const { id } = await files.send('assets', ['external_key,name,rfid', ...rows].join('\n'))
    const worker = workerOn(catalog, 50)
    const statuses = new Set<number>()
    let round = 0
    while ((await catalog.get(`/imports/${id}`)).json().data.finished_at === null) {
      round += 1
      const one = assets[round % 40]!
      const tag = { tag_type: 'rfid', value: `t${round % 50}` }
      const responses = await Promise.all([
        catalog.patch(`/assets/${one.id}`, { description: `d${round}` }),
        catalog.post(`/assets/${one.id}/tags`, tag),
        catalog.post('/assets', { name: 'api', tags: [tag, { tag_type: 'rfid', value: `u${round % 40}` }] }),
        catalog.post('/assets', { name: 'api', external_key: `K-${round % 60}` }),
        catalog.post(`/assets/${one.id}/rename`, { external_key: keys[(round * 7) % 40] }),
        round % 5 === 0 ? catalog.delete(`/assets/${one.id}`) : catalog.get(`/assets/${one.id}`),
      ])
      for (const { statusCode } of responses) statuses.add(statusCode)
    }
    await worker.stop()
    expect([...statuses].filter((status) => status >= 500)).toEqual([])
    const done = await files.finished(id)
    expect(done).toMatchObject({ state: 'done', rows_total: 600, rows_done: 600 })
    expect(await files.rows(id)).toHaveLength(600)
  })

  test('D5.4 locations: moves by requests and imports never make a cycle', async ({ catalog, files }) => {
    const ids: number[] = []
    for (const external_key of keys.slice(0, 10)) ids.push((await catalog.location({ external_key })).id)
    const rows = Array.from({ length: 300 }, (_, i) => `K-${i % 10},K-${(i * 7 + 3) % 10}`)
    const { id } = await files.send('locations', ['external_key,parent_external_key', ...rows].join('\n'))
    const worker = workerOn(catalog, 20)
    const statuses = new Set<number>()
    let round = 0
    while ((await catalog.get(`/imports/${id}`)).json().data.finished_at === null) {
      round += 1
      const move = (of: number, to: number) =>
        catalog.patch(`/locations/${ids[of % 10]}`, { parent_id: ids[to % 10] })
      const responses = await Promise.all([
        move(round, round * 3 + 1),
        move(round + 5, round),
        catalog.post('/locations', { name: 'api', parent_id: ids[round % 10] }),
      ])
      for (const { statusCode } of responses) statuses.add(statusCode)
    }
    await worker.stop()
    expect([...statuses].filter((status) => status >= 500)).toEqual([])
    expect(await files.rows(id)).toHaveLength(300)
    const { rows: roots } = await sql<{ reached: number; all: number }>`
      with recursive tree as (
        select id from location where org_id = ${catalog.orgId} and parent_id is null
        union all
        select child.id from tree join location as child on child.org_id = ${catalog.orgId} and child.parent_id = tree.id)
      select (select count(*) from tree) as reached,
             (select count(*) from location where org_id = ${catalog.orgId}) as "all"`.execute(
      catalog.database.db,
    )
    expect(roots[0]?.reached).toBe(roots[0]?.all)
  })
})

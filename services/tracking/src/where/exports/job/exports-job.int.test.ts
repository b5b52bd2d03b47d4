import { limits } from '@whereabouts/contracts/limits'
import { setDefaultLimits } from '@whereabouts/db/schema/usage'
import { eventually } from '@whereabouts/testing/eventually'
import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import { begin, contentOf, exported, fill, find, finished, iso, midnight, workerOn } from '../../../../test/exports/exports.fixture.ts' // oxfmt-ignore
import { test, type Tracking } from '../../../../test/tracking.fixture.ts'
import { dayOfFile } from '../datasets.ts'
import { beginFile, claimExport, ClaimLost, endFile, storePart } from './claims.queries.ts'
import { purgeExports } from './purge.loop.ts'
import { writeFile } from './write-file.ts'

const DAYS = 6
const RANGE = { from: iso(midnight(DAYS)), to: iso(midnight(0) - 1) }
const HISTORY = { dataset: 'history', format: 'csv', ...RANGE } as const

/** Sixty rows on each day. */
async function filled(tracking: Tracking, orgId = 1): Promise<void> {
  const rows = { orgId, assets: [orgId * 1_000], minutes: 60, locations: [1, 2] }
  for (let day = 1; day <= DAYS; day += 1) await fill(tracking, { ...rows, from: midnight(day) })
}

const claim = (tracking: Tracking) => claimExport(tracking.worker.db, randomUUID())
const endLeases = ({ db }: Tracking) =>
  sql`update export set lease_until = clock_timestamp() - interval '1 second' where lease_until is not null`.execute(
    db,
  )
const partsOf = async ({ db }: Tracking) =>
  (await sql<{ n: number }>`select count(*)::int as n from export_part`.execute(db)).rows[0]?.n
const never = new AbortController().signal

describe('D22.3 who makes the files', () => {
  test('D22.3 a replica that dies within a file is taken over, again and again, and each day is there once', async ({
    tracking,
  }) => {
    await filled(tracking)
    const id = await begin(tracking, HISTORY)
    for (let turn = 0; turn < 4; turn += 1) {
      const taken = await claim(tracking)
      if (!taken) throw new Error('there is an export to claim')
      expect(taken).toMatchObject({ id, next_file: turn })
      const source = { db: tracking.tenants.forOrg(1), view: tracking.view, orgId: 1 }
      await writeFile(source, taken, never)
      // It dies with parts of the next file written.
      taken.next_file += 1
      await beginFile(source.db, taken)
      await storePart(source.db, taken, 0, Buffer.from('half'))
      await storePart(source.db, taken, 1, Buffer.from('a file'))
      expect(await claim(tracking)).toBeUndefined() // its lease has not ended
      await endLeases(tracking)
    }
    workerOn(tracking)
    const { files, rows, status } = await finished(tracking, id)
    expect([status, rows]).toEqual(['done', 60 * DAYS])
    expect(files.map(({ day, rows: each }) => [day, each])).toEqual(
      Array.from({ length: DAYS }, (_, file) => [
        dayOfFile({ dataset: 'history', from_at: RANGE.from, to_at: RANGE.to }, file),
        60,
      ]),
    )
    for (const { url, bytes } of files) expect((await contentOf(tracking, url)).length).toBe(bytes)
    expect(await partsOf(tracking)).toBe(DAYS)
  })

  test('D22.3 a replica that was slow writes nothing after another has taken over', async ({ tracking }) => {
    await filled(tracking)
    const id = await begin(tracking, HISTORY)
    const [slow, db] = [await claim(tracking), tracking.tenants.forOrg(1)]
    if (!slow) throw new Error('there is an export to claim')
    await endLeases(tracking)
    const other = await claim(tracking)
    expect(other).toMatchObject({ id })
    await expect(beginFile(db, slow)).rejects.toThrow(ClaimLost)
    await expect(storePart(db, slow, 0, Buffer.from('late'))).rejects.toThrow(ClaimLost)
    await expect(endFile(db, slow, undefined)).rejects.toThrow(ClaimLost)
    expect(await partsOf(tracking)).toBe(0)
    expect(await find(tracking, id)).toMatchObject({ progress: 0, files: [] })
  })

  test('D22.3 a file that fails is retried, and the export goes on', async ({ tracking }) => {
    await filled(tracking)
    const { db } = tracking
    // Parts cannot be written, three times.
    await sql`alter table export_part add constraint broken check (false) not valid`.execute(db)
    workerOn(tracking, { retryMs: 1 })
    const id = await begin(tracking, HISTORY)
    await eventually(async () => {
      const { rows } = await sql<{ failures: number }>`select failures from export`.execute(db)
      expect(rows[0]?.failures).toBeGreaterThanOrEqual(3)
    })
    expect(await find(tracking, id)).toMatchObject({ status: 'running', problem: null })
    await sql`alter table export_part drop constraint broken`.execute(db)
    expect(await finished(tracking, id)).toMatchObject({ status: 'done', rows: 60 * DAYS })
  })

  test('D22.3 what cannot be read at all fails with what to do, and the next export of the organization runs', async ({
    tracking,
  }) => {
    await filled(tracking)
    await sql`alter table export_file add constraint broken check (day is null) not valid`.execute(
      tracking.db,
    )
    workerOn(tracking, { retryMs: 0 })
    const id = await begin(tracking, HISTORY)
    const next = await begin(tracking, { dataset: 'assets', format: 'csv' })
    const failed = await finished(tracking, id)
    expect(failed).toMatchObject({ status: 'failed', rows: 0, bytes: 0, files: [] })
    expect(failed.problem).toContain('Begin the export again')
    expect(await finished(tracking, next)).toMatchObject({ status: 'done' })
    await purgeExports({ across: tracking.worker.db, tenants: tracking.tenants })
    expect(await partsOf(tracking)).toBe(1)
    expect(await find(tracking, id)).toMatchObject({ status: 'failed' })
  })

  test('D22.3 organizations take turns, file by file', async ({ tracking }) => {
    for (const orgId of [1, 2]) await filled(tracking, orgId)
    const first = [await begin(tracking, HISTORY), await begin(tracking, HISTORY)]
    const other = await begin(tracking, HISTORY, 2)
    const order: number[] = []
    for (let turn = 0; turn < 4; turn += 1) {
      const taken = await claim(tracking)
      if (!taken) throw new Error('there is an export to claim')
      order.push(taken.id)
      const source = { db: tracking.tenants.forOrg(taken.org_id), view: tracking.view, orgId: taken.org_id }
      await writeFile(source, taken, never)
      await endLeases(tracking)
    }
    expect(order).toEqual([first[0], other, first[0], other])
  })

  test('D22.3 an export that is deleted while it runs stops, and its files are gone', async ({
    tracking,
  }) => {
    await filled(tracking)
    const id = await begin(tracking, HISTORY)
    const taken = await claim(tracking)
    if (!taken) throw new Error('there is an export to claim')
    const source = { db: tracking.tenants.forOrg(1), view: tracking.view, orgId: 1 }
    await writeFile(source, taken, never)
    const url = (await find(tracking, id)).files[0]?.url ?? ''
    expect((await tracking.app.inject(url)).statusCode).toBe(200)
    expect((await tracking.call('DELETE', `/exports/${id}`)).statusCode).toBe(204)
    expect((await tracking.call('DELETE', `/exports/${id}`)).statusCode).toBe(404)
    expect((await tracking.call('GET', `/exports/${id}`)).statusCode).toBe(404)
    expect((await tracking.app.inject(url)).statusCode).toBe(404)
    taken.next_file += 1
    await expect(writeFile(source, taken, never)).rejects.toThrow(ClaimLost)
    await purgeExports({ across: tracking.worker.db, tenants: tracking.tenants })
    expect(await partsOf(tracking)).toBe(0)
    expect((await sql`select from export`.execute(tracking.db)).rows).toHaveLength(0)
  })

  test('D22.3 an export and its links end 24 hours after it was done', async ({ tracking }) => {
    await filled(tracking)
    const { id, files, finished_at, expires_at } = await exported(tracking, HISTORY)
    expect(Date.parse(expires_at ?? '') - Date.parse(finished_at ?? '')).toBe(86_400_000)
    await sql`update export set finished_at = clock_timestamp() - interval '24 hours'`.execute(tracking.db)
    expect((await tracking.call('GET', `/exports/${id}`)).statusCode).toBe(404)
    expect((await tracking.app.inject(files[0]?.url ?? '')).statusCode).toBe(404)
    expect((await tracking.call('GET', '/exports')).json()).toMatchObject({ data: [], total_count: 0 })
    await purgeExports({ across: tracking.worker.db, tenants: tracking.tenants })
    expect(await partsOf(tracking)).toBe(0)
  })
})

describe('D22.3 how much an organization exports', () => {
  test('D22.3 one runs and five wait; the next is 429, for this organization alone', async ({ tracking }) => {
    const most = limits.unfinishedExports.organization
    const asked = Array.from({ length: most + 3 }, () => tracking.call('POST', '/exports', { body: HISTORY }))
    const replies = await Promise.all(asked)
    expect(replies.filter(({ statusCode }) => statusCode === 202)).toHaveLength(most)
    const refused = replies.find(({ statusCode }) => statusCode === 429)
    expect(refused?.headers['retry-after']).toBe('10')
    expect(refused?.json().error.detail).toMatch(/At most 6 unfinished exports .* delete one$/)
    await begin(tracking, HISTORY, 2)
    const [first] = replies.flatMap((reply) => (reply.statusCode === 202 ? [reply.json().data.id] : []))
    await tracking.call('DELETE', `/exports/${first}`)
    await begin(tracking, HISTORY)
  })

  test('D22.3 only one export of an organization runs at a time, whoever asks', async ({ tracking }) => {
    for (let i = 0; i < 4; i += 1) await begin(tracking, HISTORY)
    const taken = await Promise.all(Array.from({ length: 8 }, () => claim(tracking)))
    expect(taken.filter(Boolean)).toHaveLength(1)
  })

  test('D22.3 an export beyond export_bytes fails, names the limit, and frees what it wrote', async ({
    tracking,
  }) => {
    await filled(tracking)
    await setDefaultLimits(tracking.db, { export_bytes: 100 })
    workerOn(tracking)
    const failed = await finished(tracking, await begin(tracking, HISTORY))
    expect(failed).toMatchObject({ status: 'failed', files: [] })
    expect(failed.problem).toContain('may store 100 (limit export_bytes)')
    await purgeExports({ across: tracking.worker.db, tenants: tracking.tenants })
    const used = sql<{ n: number }>`select sum(n)::int as n from usage where name = 'export_bytes'`
    expect((await used.execute(tracking.db)).rows[0]?.n ?? 0).toBe(0)
    await setDefaultLimits(tracking.db, { export_bytes: 2 ** 30 })
    expect(await finished(tracking, await begin(tracking, HISTORY))).toMatchObject({ status: 'done' })
    const { bytes } = (await tracking.call('GET', '/exports')).json().data[0]
    expect((await used.execute(tracking.db)).rows[0]?.n).toBe(bytes)
  })
})

import { setDefaultLimits, readUsage, saveLimits } from '@whereabouts/db/schema/usage'
import { foldUsage } from '@whereabouts/db/schema/asset-counts'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { test as base, type Imports } from '../../../test/imports.fixture.ts'
import type { Catalog } from '../../../test/catalog.fixture.ts'

const test = base.extend<{ usage: (name: string) => Promise<number> }>({
  usage: async ({ catalog }, use) =>
    use(async (name) => {
      const rows = await readUsage(catalog.database.db, catalog.orgId)
      return rows.find((row) => row.name === name)?.used ?? Number.NaN
    }),
})

/** The limits of the organization of this test. */
const limitTo = ({ database, orgId }: Catalog, limits: Record<string, number>, revision = 1) =>
  saveLimits(database.worker.db, { org_id: orgId, revision, limits })

const detail = (name: string, limit: number, used: number) =>
  `This organization may store ${limit} (limit ${name}) and has ${used}. Delete what is not needed, or ask the operator to raise the limit.`

/** The same, counted from the rows. */
async function counted({ database, orgId }: Catalog) {
  const { rows } = await sql<Record<string, number>>`
    select (select count(*) from asset where org_id = ${orgId} and deleted_at is null)::int as assets,
      (select count(*) from location where org_id = ${orgId} and deleted_at is null)::int as locations,
      (select count(*) from tag where org_id = ${orgId} and deleted_at is null)::int as tags,
      coalesce((select sum(octet_length(bytes)) from floor_image where org_id = ${orgId}), 0)::int as image_bytes,
      coalesce((select sum(size + 100) from import_line where org_id = ${orgId}), 0)::int as import_bytes,
      ((select coalesce(sum(400 + octet_length(name) + coalesce(octet_length(description), 0)
          + octet_length(metadata::text)), 0) from asset where org_id = ${orgId})
        + (select coalesce(sum(400 + octet_length(name) + coalesce(octet_length(description), 0)), 0)
          from location where org_id = ${orgId})
        + (select coalesce(sum(300 + octet_length(value)), 0) from tag where org_id = ${orgId}))::int as stored_bytes
    `.execute(database.db)
  return rows[0]
}

async function kept({ database, orgId }: Catalog) {
  const rows = await readUsage(database.db, orgId)
  return Object.fromEntries(rows.map(({ name, used }) => [name, used]))
}

describe('what an organization stores is counted where it is written', () => {
  test('by every route that changes it, and after folds', async ({ catalog, imports }) => {
    const created = await catalog.asset({ tags: [{ tag_type: 'rfid', value: 'A1' }] })
    const moved = await catalog.location()
    await catalog.tag(`/locations/${moved.id}`, { tag_type: 'ble', value: 'B1' })
    await catalog.patch(`/assets/${created.id}`, { metadata: { text: 'x'.repeat(20_000) } })
    expect(await kept(catalog)).toEqual(await counted(catalog))
    await imports.run('assets', `name\n${'n\n'.repeat(300)}`)
    await imports.run('assets', `external_key,name,rfid\n${created.external_key},Renamed,A2`)
    expect(await kept(catalog)).toEqual(await counted(catalog))
    await catalog.delete(`/assets/${created.id}`)
    await foldUsage(catalog.database.worker.db)
    expect(await kept(catalog)).toEqual(await counted(catalog))
    await catalog.post(`/assets/${created.id}/restore`, {})
    expect(await kept(catalog)).toEqual(await counted(catalog))
    expect((await counted(catalog))?.assets).toBe(301)
  })

  test('a write that fails leaves nothing', async ({ catalog, usage }) => {
    const { external_key } = await catalog.asset()
    expect((await catalog.post('/assets', { name: 'Again', external_key })).statusCode).toBe(409)
    expect(await usage('assets')).toBe(1)
  })
})

describe('a limit', () => {
  test('refuses what would exceed it, says the limit and the use, and nothing else stops', async ({
    catalog,
    otherOrg,
  }) => {
    await limitTo(catalog, { assets: 2 })
    const first = await catalog.asset()
    await catalog.asset()
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const refused = await catalog.post('/assets', { name: 'Third' })
      expect(refused.statusCode).toBe(409)
      expect(refused.json().error).toMatchObject({ type: 'conflict', detail: detail('assets', 2, 2) })
    }
    expect((await catalog.patch(`/assets/${first.id}`, { name: 'Changed' })).statusCode).toBe(200)
    await catalog.location()
    await catalog.asset({}, { org: otherOrg })
    await catalog.delete(`/assets/${first.id}`)
    await catalog.asset()
    expect((await catalog.post(`/assets/${first.id}/restore`, {})).statusCode).toBe(409)
  })

  test('is exact while many write at once, on two replicas, again and again', async ({
    catalog,
    replica,
    usage,
  }) => {
    for (const [round, limit] of [7, 20, 45].entries()) {
      await limitTo(catalog, { assets: limit }, round + 1)
      const writes = Array.from({ length: 40 }, (_, i) =>
        (i % 2 === 0 ? catalog : replica).post('/assets', { name: `n${i}`, external_key: `R${round}-${i}` }),
      )
      const statuses = (await Promise.all(writes)).map(({ statusCode }) => statusCode)
      expect(new Set(statuses)).toEqual(new Set([201, 409]))
      expect(await usage('assets')).toBe(limit)
    }
  })

  test('of bytes counts texts and metadata, also of what was deleted', async ({ catalog }) => {
    await limitTo(catalog, { stored_bytes: 100_000 })
    const metadata = { text: 'x'.repeat(60_000) }
    const { id } = await catalog.asset({ metadata })
    expect((await catalog.post('/assets', { name: 'Second', metadata })).statusCode).toBe(409)
    await catalog.delete(`/assets/${id}`)
    expect((await catalog.post('/assets', { name: 'Second', metadata })).statusCode).toBe(409)
    const small = await catalog.asset()
    expect((await catalog.patch(`/assets/${small.id}`, { metadata })).statusCode).toBe(409)
    expect((await catalog.patch(`/assets/${small.id}`, { description: 'Fits' })).statusCode).toBe(200)
  })

  test('fails the rows of an import beyond it with the reason, and the import ends', async ({
    catalog,
    imports,
  }) => {
    await catalog.asset({ external_key: 'KNOWN' })
    await limitTo(catalog, { assets: 11 })
    const names = Array.from({ length: 30 }, (_, i) => `,n${i}`)
    const done = await imports.run('assets', ['external_key,name', ...names, 'KNOWN,Renamed'].join('\n'))
    expect(done).toMatchObject({ state: 'done', created: 10, failed: 20, updated: 1 })
    expect(done.rows[10]?.errors).toMatchObject([{ message: detail('assets', 11, 11) }])
  })

  test('of files refuses an upload that would exceed it', async ({ catalog, files }) => {
    await limitTo(catalog, { import_bytes: 10_000 })
    const send = (f: Imports) => f.send('assets', `name\n${`${'n'.repeat(50)}\n`.repeat(40)}`)
    await send(files)
    await expect(send(files)).rejects.toThrow()
    const { data } = (await catalog.get('/imports')).json()
    expect(data).toHaveLength(1)
  })

  test('of the operator counts by its revision, and its end brings back the default', async ({ catalog }) => {
    const limits = async () =>
      (await readUsage(catalog.database.db, catalog.orgId)).find(({ name }) => name === 'locations')?.limit
    const usual = await limits()
    await limitTo(catalog, { locations: 5, unknown: 7 }, 3)
    await limitTo(catalog, { locations: 9 }, 2)
    expect(await limits()).toBe(5)
    await limitTo(catalog, { assets: 9 }, 4)
    expect(await limits()).toBe(usual)
    await limitTo(catalog, { locations: 5 }, 3)
    expect(await limits()).toBe(usual)
  })
})

test('a limit that is only near when others commit is kept too', async ({ catalog, usage }) => {
  await setDefaultLimits(catalog.database.db, { locations: 1_000 })
  await sql`insert into location (org_id, external_key, name)
    select ${catalog.orgId}, 'L' || i, 'n' from generate_series(1, 490) i`.execute(catalog.database.db)
  const more = (from: number) => sql`insert into location (org_id, external_key, name)
    select ${catalog.orgId}, 'M' || i, 'n' from generate_series(${from}::int, ${from + 299}::int) i`
  const results = await Promise.allSettled(
    [1, 301, 601].map((from) => more(from).execute(catalog.database.db)),
  )
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await usage('locations')).toBe(790)
})

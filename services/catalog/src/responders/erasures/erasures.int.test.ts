import { AssetState } from '@whereabouts/contracts/messages/catalog-state'
import type { Erasure } from '@whereabouts/contracts/messages/usage'
import { killDeleting, organizationRows } from '@whereabouts/testing/database/organization-rows'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Catalog } from '../../../test/catalog.fixture.ts'
import { test } from '../../../test/imports.fixture.ts'
import { answerErasure } from './erasures.responder.ts'

const step = (catalog: Catalog, org_id: number): Promise<Erasure> =>
  answerErasure(catalog.database.db, { org_id })

async function erase(catalog: Catalog, orgId: number): Promise<number> {
  for (let rows = 0; ;) {
    const { deleted, left } = await step(catalog, orgId)
    rows += deleted
    if (!left) return rows
  }
}

/** A tree, tags of assets and places, deleted things, and a finished import. */
async function fill(catalog: Catalog, org: number): Promise<void> {
  await sql`insert into location (org_id, id, external_key, name) select ${org}, 10 * ${org} + i, 'L' || i, 'n' from generate_series(1, 3) i`.execute(catalog.database.db) // oxfmt-ignore
  await sql`update location set parent_id = id - 1 where org_id = ${org} and external_key <> 'L1'`.execute(catalog.database.db) // oxfmt-ignore
  await catalog.asset({ tags: [{ tag_type: 'rfid', value: `A${org}` }] }, { org })
  const { id } = await catalog.asset({}, { org })
  await sql`update asset set deleted_at = now() where id = ${id}`.execute(catalog.database.db)
}

test('D15.3 all rows of one organization go in steps, whose crash costs one step, and another keeps all', async ({
  catalog,
  otherOrg,
  imports,
}) => {
  await imports.run('assets', `name\n${'n\n'.repeat(300)}`)
  for (const org of [catalog.orgId, otherOrg]) await fill(catalog, org)
  const before = await organizationRows(catalog.database.pool, otherOrg)
  expect(Object.keys(await organizationRows(catalog.database.pool, catalog.orgId)).length).toBeGreaterThan(6)
  for (let kill = 0; kill < 3; kill += 1)
    await killDeleting(catalog.database.pool, step(catalog, catalog.orgId))
  await erase(catalog, catalog.orgId)
  expect(await organizationRows(catalog.database.pool, catalog.orgId)).toEqual({})
  expect(await organizationRows(catalog.database.pool, otherOrg)).toEqual(before)
})

test('the state of each asset, location and tag ends, with a lifetime in the broker', async ({ catalog }) => {
  await fill(catalog, catalog.orgId)
  const tables = ['asset', 'location', 'tag'] as const
  const ids: string[] = []
  for (const table of tables) {
    const rows = await catalog.database.db.selectFrom(table).select('id').where('org_id', '=', catalog.orgId).execute() // oxfmt-ignore
    ids.push(...rows.map(({ id }) => `catalog.${table}.${catalog.orgId}.${id}`))
  }
  const { rows: assets } = await sql<{ id: number; revision: number }>`
    select id, revision from asset where org_id = ${catalog.orgId} and deleted_at is null`.execute(
    catalog.database.db,
  )
  await sql`delete from outbox`.execute(catalog.database.db)
  await erase(catalog, catalog.orgId)
  const messages = await catalog.database.db.selectFrom('outbox').selectAll().execute()
  expect(messages.map(({ subject }) => subject).toSorted()).toEqual(ids.toSorted())
  for (const { headers, payload } of messages) {
    expect(headers).toMatchObject({ 'Nats-TTL': '7200s' })
    expect(payload).toMatchObject({ deleted_at: expect.any(String) })
  }
  const states = messages.filter(({ subject }) => subject.startsWith('catalog.asset'))
  const first = states.map(({ payload }) => AssetState.parse(payload)).find(({ id }) => id === assets[0]?.id)
  expect(first?.revision).toBeGreaterThan(assets[0]?.revision ?? Infinity)
})

test('organization 0 has the defaults of all: it cannot be asked for', async ({ catalog }) => {
  await expect(step(catalog, 0)).rejects.toThrow('not a request')
})

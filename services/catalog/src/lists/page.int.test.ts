import { sql } from 'kysely'
import { expect } from 'vitest'
import { test, type Catalog } from '../../test/catalog.fixture.ts'
import { listAssets } from '../assets/assets.lists.ts'

const VALID = 20
const ROUNDS = 40

/** A full page, one that is not full, one in the middle, the last one, and two beyond the end. */
const ranges = [
  [VALID, 0],
  [VALID + 1, 0],
  [3, 5],
  [5, VALID - 2],
  [5, VALID],
  [5, VALID + 7],
] as const

async function expectConsistentPages({ tenants, orgId }: Catalog) {
  for (const [limit, offset] of ranges) {
    const { rows, total } = await listAssets(tenants.forOrg(orgId), orgId, { limit, offset })
    expect({ limit, offset, total, rows: rows.length }).toEqual({
      limit,
      offset,
      total: VALID,
      rows: Math.max(0, Math.min(limit, VALID - offset)),
    })
  }
}

test('D4.11 page and total are of one moment while assets come and go', async ({ catalog }) => {
  const { database, orgId } = catalog
  const add = (first: number) => sql`
    insert into asset (org_id, external_key, name, valid_from)
    select ${orgId}, 'A-' || lpad(n::text, 5, '0'), 'Asset', '2020-01-01'
    from generate_series(${first}::int, ${first}::int + ${VALID} - 1) n`
  await add(0).execute(database.db)
  let isOver = false
  const writing = (async () => {
    for (let first = VALID; !isOver; first += VALID)
      await database.db.transaction().execute(async (tx) => {
        await sql`update asset set deleted_at = now() where org_id = ${orgId} and deleted_at is null`.execute(
          tx,
        )
        await add(first).execute(tx)
      })
  })()
  try {
    for (let i = 0; i < ROUNDS; i += 1) await expectConsistentPages(catalog)
  } finally {
    isOver = true
    await writing
  }
})

test('D7.1 page and total agree while the validity of assets ends and that of others begins', async ({
  catalog,
}) => {
  const { database, orgId } = catalog
  // Each asset that ends has one that begins at the same instant, every 10 ms.
  await sql`
    insert into asset (org_id, external_key, name, valid_from, valid_to)
    select ${orgId}, kind || n, 'Asset',
           case kind when 'A' then '2020-01-01' else now() + n * interval '10 ms' end,
           case kind when 'A' then now() + n * interval '10 ms' end
    from generate_series(1, ${VALID}) n, unnest(array['A', 'B']) as kind`.execute(database.db)
  const hasChanged = async () =>
    (await listAssets(catalog.tenants.forOrg(orgId), orgId, { limit: 1, offset: 0 })).rows[0]
      ?.external_key === 'B1'
  while (!(await hasChanged())) await expectConsistentPages(catalog)
  await expectConsistentPages(catalog)
})

test('each row has its own tags, oldest first, and a row without tags has none', async ({ catalog }) => {
  const tagsOf = (name: string) =>
    [1, 2, 3].map((n) => ({ tag_type: 'rfid' as const, value: `${name}-${n}` }))
  const made = []
  for (const [name, tags] of [['C', tagsOf('C')], ['A', []], ['B', tagsOf('B')]] as const)
    made.push(await catalog.asset({ external_key: name, tags: [...tags] })) // oxfmt-ignore
  const [c, a, b] = made
  expect((await catalog.get('/assets')).json().data).toEqual([a, b, c])
  expect((await catalog.get('/assets?sort=-external_key&limit=2')).json().data).toEqual([c, b])
})

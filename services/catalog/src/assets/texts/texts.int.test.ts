import type { AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import { eventually } from '@whereabouts/testing/eventually'
import { fc, limits, timeLimit } from '@whereabouts/testing/fuzz'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Catalog } from '../../../test/catalog.fixture.ts'
import { test, type Imports } from '../../../test/imports.fixture.ts'
import type { AssetWithHome } from '../../db.ts'
import { attachRequestedTag } from '../../responders/tag-claims/tag-claims.responder.ts'
import type { Tagged } from '../../tags/live-tags.ts'
import { assetColumnsWithTags } from '../assets.queries.ts'
import { makeTexts, TEXT_VERSION, textMaker, textOf } from './texts.ts'

const RFID = 'rfid' as const
const ASSETS = 6
const PAST = '2020-01-01T00:00:00Z'

const idsOf = async ({ database, orgId }: Catalog) =>
  (await database.db.selectFrom('asset').select('id').where('org_id', '=', orgId).execute()).map(
    ({ id }) => id,
  )

const make = (catalog: Catalog, ids: readonly number[]) =>
  catalog.tenants.transaction(catalog.orgId, (tx) => makeTexts(tx, catalog.orgId, ids))

type Stored = Tagged<AssetWithHome> & { text: string | null }

/** Of one moment: each asset with its tags, and its stored text. */
async function stored({ tenants, orgId }: Catalog): Promise<Stored[]> {
  const { rows } = await sql<Stored>`select ${assetColumnsWithTags},
      (select text from asset_text where asset_text.org_id = asset.org_id and asset_text.id = asset.id) as text
    from asset where org_id = ${orgId} order by id`.execute(tenants.forOrg(orgId))
  return rows
}

/** The texts that are not what the API says about their asset at that moment. */
const wrong = (rows: readonly Stored[]) =>
  rows.flatMap((row) => (row.text === null || row.text === textOf(row) ? [] : [[row.text, textOf(row)]]))

const missing = (rows: readonly Stored[]) => rows.filter(({ text }) => text === null).length

async function someAssets(catalog: Catalog): Promise<AssetView[]> {
  const assets: AssetView[] = []
  for (let i = 0; i < ASSETS; i += 1)
    assets.push(
      await catalog.asset({
        external_key: `A-${i}`,
        name: `Pump "${i}" ünder`,
        description: i % 2 === 0 ? 'a\nline' : null,
        type: i % 3 === 0 ? 'person' : 'asset',
        is_active: i % 2 === 0,
        metadata: { n: i, nested: { list: [1, 'ä', null] } },
        valid_from: PAST,
        tags: [
          { tag_type: RFID, value: `3034257BF7194E40000018${i}F` },
          { tag_type: 'ble' as const, value: `B${i}` },
        ].slice(i % 3),
      }),
    )
  return assets
}

const LISTS = [
  '',
  'limit=2&offset=1',
  'is_active=true',
  'type=person&sort=-name',
  'q=pump',
  'q=none',
  'tag=ble:B0',
  'include_deleted=true&window=any',
  'offset=5',
  'offset=6',
  'offset=99',
  'external_key=A-1&external_key=A-4',
] // oxfmt-ignore

test('lists have the same bytes from rows and from texts', async ({ catalog }) => {
  const [first] = await someAssets(catalog)
  await catalog.delete(`/assets/${first!.id}`)
  const read = async (query: string) => (await catalog.get(`/assets?${query}`)).payload
  const csv = async () => (await catalog.call('GET', '/assets', undefined, { accept: 'text/csv' })).payload
  const fromRows = await Promise.all(LISTS.map(read))
  const rowsAsCsv = await csv()
  await eventually(async () => {
    await Promise.all(LISTS.map(read))
    expect(missing(await stored(catalog))).toBe(0)
  })
  expect(await Promise.all(LISTS.map(read))).toEqual(fromRows)
  expect(await csv()).toBe(rowsAsCsv)
  await sql`update asset_text set text = '{"changed":true}' where org_id = ${catalog.orgId}`.execute(
    catalog.database.db,
  )
  expect(JSON.parse(await read('limit=2')).data).toEqual([{ changed: true }, { changed: true }])
})

test('a text of another version counts as missing, and is replaced', async ({ catalog }) => {
  await someAssets(catalog)
  await make(catalog, await idsOf(catalog))
  for (const version of [TEXT_VERSION + 1, TEXT_VERSION - 1, TEXT_VERSION + 2]) {
    await sql`update asset_text set version = ${version}, text = '{"old":1}' where org_id = ${catalog.orgId}`.execute(
      catalog.database.db,
    )
    await eventually(async () => {
      expect((await catalog.get('/assets')).payload).not.toContain('old')
      expect(wrong(await stored(catalog))).toEqual([])
    })
  }
})

test('texts are not made of assets that are being changed, without waiting, and by the next list', async ({
  catalog,
}) => {
  const [held] = await someAssets(catalog)
  const ids = await idsOf(catalog)
  await catalog.database.db.transaction().execute(async (tx) => {
    await sql`select from asset where id = ${held!.id} for update`.execute(tx)
    await make(catalog, ids)
  })
  const rows = await stored(catalog)
  expect(rows.filter(({ text }) => text === null).map(({ id }) => id)).toEqual([held!.id])
  await make(catalog, ids)
  expect(missing(await stored(catalog))).toBe(0)
})

test('a maker whose database fails says so, and makes the texts of a later list', async ({ catalog }) => {
  await someAssets(catalog)
  const ids = await idsOf(catalog)
  const warned: unknown[] = []
  let failures = 3
  const transaction: typeof catalog.tenants.transaction = (orgId, work) => {
    failures -= 1
    return failures >= 0 ? Promise.reject(new Error('away')) : catalog.tenants.transaction(orgId, work)
  }
  const ask = textMaker(
    { ...catalog.tenants, transaction },
    { warn: (fields: unknown) => void warned.push(fields) },
  )
  await eventually(async () => {
    ask(catalog.orgId, ids)
    expect(missing(await stored(catalog))).toBe(0)
  })
  expect(warned).toHaveLength(3)
})

type Write = { do: keyof typeof WRITERS; asset: number; other: number; n: number }

/** Every way in which the product changes an asset or its tags. */
const WRITERS = {
  patch: ({ catalog, id }: Target, { n }: Write) => catalog.patch(`/assets/${id}`, { name: `Name ${n}` }),
  rename: ({ catalog, id }: Target, { n }: Write) =>
    catalog.post(`/assets/${id}/rename`, { external_key: `R-${n}` }),
  async import({ imports }: Target, { n, asset, other }: Write) {
    await imports.run(
      'assets',
      `external_key,name,rfid\nR-${asset},Filed ${n},T${n}\nR-${other},Filed,T${n + 1}\n`,
    )
  },
  attach: ({ catalog, id }: Target, { n }: Write) =>
    catalog.post(`/assets/${id}/tags`, { tag_type: RFID, value: `T${n}` }),
  async detach({ catalog, id }: Target) {
    const tag = (await catalog.get(`/assets/${id}`)).json().data?.tags[0]
    return catalog.delete(`/assets/${id}/tags/${tag?.id ?? 1}`)
  },
  delete: ({ catalog, id }: Target) => catalog.delete(`/assets/${id}`),
  restore: ({ catalog, id }: Target, { n }: Write) =>
    catalog.post(`/assets/${id}/restore`, { external_key: `U-${id}-${n}` }),
  async claim({ catalog: { runInTransaction, orgId }, id }: Target, { n }: Write) {
    await attachRequestedTag(runInTransaction, {
      org_id: orgId,
      asset_id: id,
      tag_type: RFID,
      value: `T${n}`,
    })
  },
  async put({ catalog, id }: Target, { n }: Write) {
    const key = (await catalog.get(`/assets/${id}`)).json().data?.external_key ?? 'none'
    return catalog.call(
      'PUT',
      `/assets/${key}`,
      { name: `Put ${n}`, identifiers: [{ value: `T${n}` }] },
      { vocabulary: 'legacy' },
    )
  },
} satisfies Record<string, (target: Target, write: Write) => Promise<unknown>>

type Target = { catalog: Catalog; imports: Imports; id: number }

const small = fc.integer({ min: 0, max: ASSETS - 1 })
const names = Object.keys(WRITERS) as (keyof typeof WRITERS)[]
const write: fc.Arbitrary<Write> = fc.record({
  do: fc.constantFrom(...names),
  asset: small,
  other: small,
  n: small,
})

/** Makes texts as two replicas would, and looks at each moment that it can, until `work` ends. */
async function whileMade(catalog: Catalog, work: () => Promise<unknown>): Promise<void> {
  const ids = await idsOf(catalog)
  let isOver = false
  const until = async (turn: () => Promise<unknown>) => {
    while (!isOver) await turn()
  }
  const look = async () => expect(wrong(await stored(catalog))).toEqual([])
  const others = [() => make(catalog, ids), () => make(catalog, ids.toReversed()), look, look].map(until)
  await work().finally(() => (isOver = true))
  await Promise.all(others)
  await look()
}

test(
  'no writer leaves an old text, whatever runs at the same time',
  { timeout: timeLimit(60_000) },
  async ({ catalog, imports }) => {
    const assets = await someAssets(catalog)
    const seen = new Set<string>()
    const writers = fc.array(fc.array(write, { minLength: 4, maxLength: 8 }), { minLength: 3, maxLength: 3 })
    const property = fc.asyncProperty(writers, async (plans) => {
      const runOne = async (plan: Write[]) => {
        for (const each of plan) {
          const result = await WRITERS[each.do]({ catalog, imports, id: assets[each.asset]!.id }, each)
          if (result === undefined || result.statusCode < 300) seen.add(each.do)
          else expect(result.statusCode).toBeLessThan(500)
        }
      }
      await whileMade(catalog, () => Promise.all(plans.map(runOne)))
    })
    await fc.assert(property, { ...limits(12, 40_000), endOnFailure: true })
    expect(names.filter((name) => !seen.has(name))).toEqual([])
  },
)

/** What operators might do by hand. It locks nothing before. */
const statementsOn = (orgId: number, one: number, two: number) => [
  (n: number) => sql`update asset set name = ${`Name ${n}`} where id = ${one}`,
  (n: number) => sql`update tag set value = ${`V${n}`} where asset_id = ${one}`,
  () => sql`update tag set asset_id = ${one + two} - asset_id where asset_id in (${one}, ${two})`,
  (n: number) => sql`insert into tag (org_id, asset_id, tag_type, value, match_value)
    values (${orgId}, ${one}, 'ble', ${`N${n}`}, ${`N${n}`})`,
  () => sql`delete from tag where asset_id = ${one}`,
]

test('nor do statements of operators', { timeout: timeLimit(60_000) }, async ({ catalog }) => {
  const [one, two] = (await someAssets(catalog)).map(({ id }) => id)
  const { db } = catalog.database
  const repeat = async (statement: (n: number) => ReturnType<typeof sql>) => {
    for (let n = 0; n < 30; n += 1)
      await statement(n)
        .execute(db)
        .catch((error: { code?: string }) => expect(['40P01', '23505']).toContain(error.code)) // deadlock, or the same value
  }
  await whileMade(catalog, () => Promise.all(statementsOn(catalog.orgId, one!, two!).map(repeat)))
})

test(
  'who writes while a text is made waits for it, and drops it',
  { timeout: timeLimit(60_000) },
  async ({ catalog, imports }) => {
    const assets = await someAssets(catalog)
    const [one, two] = [assets[1]!, assets[2]!]
    const target = { catalog, imports, id: one.id }
    const byHand = statementsOn(catalog.orgId, one.id, two.id).map(
      (statement) => () => statement(1).execute(catalog.database.db),
    )
    const byProduct = names.map((name) => () => WRITERS[name](target, { do: name, asset: 1, other: 2, n: 1 }))
    for (const work of [...byHand, ...byProduct]) {
      let writing: Promise<unknown> = Promise.resolve()
      await catalog.tenants.transaction(catalog.orgId, async (tx) => {
        await makeTexts(tx, catalog.orgId, await idsOf(catalog))
        writing = work()
        let isOver = false
        const ended = () => (isOver = true)
        void writing.then(ended, ended)
        await eventually(async () => expect(isOver || (await catalog.waitingForLocks()) > 0).toBe(true))
      })
      await writing
      expect(wrong(await stored(catalog)), String(work)).toEqual([])
    }
  },
)

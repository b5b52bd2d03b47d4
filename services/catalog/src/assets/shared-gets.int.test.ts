import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { openTenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { RequestClient } from '@whereabouts/service-kit/observe/request-client'
import { rootTrace, withTrace } from '@whereabouts/service-kit/observe/trace'
import { buffersOfFixedPlan } from '@whereabouts/testing/database/fixed-plan'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { test, type Catalog } from '../../test/catalog.fixture.ts'
import { Recorder } from '../../test/plans/recorded.fixture.ts'
import type { Tables } from '../db.ts'
import { assetFinder, findAsset } from './assets.queries.ts'

/** `assetFinder`, and the organization of each statement that it has sent. */
function counted({ tenants }: Pick<Catalog, 'tenants'>) {
  const statements: number[] = []
  const forOrg = (orgId: number) => {
    statements.push(orgId)
    return tenants.forOrg(orgId)
  }
  return { find: assetFinder({ forOrg }), statements }
}

/** Keeps all reads of assets waiting until `release`. */
async function lockAssets(catalog: Catalog) {
  const client = await catalog.database.pool.connect()
  await client.query('begin; lock table asset in access exclusive mode')
  return {
    isAwaited: () => expect.poll(() => catalog.waitingForLocks()).toBeGreaterThan(0),
    async release() {
      await client.query('rollback')
      client.release()
    },
  }
}

const outcomes = async (gets: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(gets)).map((one) => (one.status === 'fulfilled' ? one.value : one.reason))

test('simultaneous gets share statements, and each gets its own asset or 404', async ({
  catalog,
  otherOrg,
}) => {
  const tag = { tag_type: 'rfid', value: 'T-1' } as const
  const [tagged, plain, deleted] = [
    await catalog.asset({ name: 'Tagged', tags: [tag] }),
    await catalog.asset({ name: 'Plain', metadata: { a: [1] } }),
    await catalog.asset({ name: 'Deleted' }),
  ]
  const theirs = await catalog.asset({ name: 'Theirs' }, { org: otherOrg })
  await catalog.delete(`/assets/${deleted.id}`)
  for (const times of [1, 2, 30]) {
    const ids = Array.from({ length: times }, () => [plain.id, deleted.id, tagged.id, theirs.id, 1]).flat()
    const { find, statements } = counted(catalog)
    const found = await Promise.all(ids.map((id) => find(catalog.orgId, id)))
    const alone = await Promise.all(
      ids.map((id) => findAsset(catalog.tenants.forOrg(catalog.orgId), catalog.orgId, id)),
    )
    expect(found).toEqual(alone)
    expect(found.map((row) => row?.name)).toEqual(
      ids.map((id) => ({ [plain.id]: 'Plain', [tagged.id]: 'Tagged' })[id]),
    )
    expect(statements).toHaveLength(Math.ceil(ids.length / 32))
    const replies = await Promise.all(ids.map((id) => catalog.get(`/assets/${id}`)))
    expect(replies.map((reply) => reply.statusCode)).toEqual(found.map((row) => (row ? 200 : 404)))
    expect(replies[2]?.json()).toEqual({ data: tagged })
  }
})

test('a get sees each change that was answered before it, also while older gets run', async ({ catalog }) => {
  const { id } = await catalog.asset({ name: 'Round 0' })
  for (let round = 1; round <= 5; round += 1) {
    const older = [1, 2, 3, 4].map(() => catalog.get(`/assets/${id}`))
    expect((await catalog.patch(`/assets/${id}`, { name: `Round ${round}` })).statusCode).toBe(200)
    expect((await catalog.get(`/assets/${id}`)).json().data.name).toBe(`Round ${round}`)
    await Promise.all(older)
  }
})

test('two statements of an organization run at a time', async ({ catalog }) => {
  const { id } = await catalog.asset()
  const { find, statements } = counted(catalog)
  const locked = await lockAssets(catalog)
  const gets: Promise<unknown>[] = []
  for (const sent of [1, 2]) {
    gets.push(find(catalog.orgId, id))
    await expect.poll(() => statements.length).toBe(sent)
    await expect.poll(() => catalog.waitingForLocks()).toBe(sent)
  }
  gets.push(...Array.from({ length: 40 }, () => find(catalog.orgId, id)))
  await expect.poll(() => catalog.waitingForLocks()).toBe(2)
  await locked.release()
  expect(await outcomes(gets)).toEqual(gets.map(() => expect.objectContaining({ id })))
  expect(statements).toHaveLength(4)
})

test('organizations with the same ids see nothing of each other', async ({ catalog, otherOrg }) => {
  const [first, both, second] = [1, 2, 3].map((i) => catalog.orgId * 1_000_000 + i)
  const insert = (orgId: number, ids: (number | undefined)[], name: string) =>
    sql`insert into asset (org_id, id, external_key, name)
      select ${orgId}, id, 'K' || id, ${name} from unnest(${ids}::bigint[]) as id`.execute(
      catalog.database.db,
    )
  await insert(catalog.orgId, [first, both], 'Ours')
  await insert(otherOrg, [both, second], 'Theirs')
  const { find, statements } = counted(catalog)
  const ids = [first!, both!, second!]
  for (let round = 1; round <= 3; round += 1) {
    const [ours, theirs] = await Promise.all(
      [catalog.orgId, otherOrg].map((orgId) => Promise.all(ids.map((id) => find(orgId, id)))),
    )
    expect(ours?.map((row) => row?.name)).toEqual(['Ours', 'Ours', undefined])
    expect(theirs?.map((row) => row?.name)).toEqual([undefined, 'Theirs', 'Theirs'])
    expect(statements).toHaveLength(2 * round)
  }
})

test('a failing statement fails its gets as each would fail alone, and the next gets succeed', async ({
  catalog,
}) => {
  const { orgId, database } = catalog
  const { id } = await catalog.asset()
  const tenants = openTenantDatabase<Tables>(database.url, { max: 3, name: 'hasty', readTimeoutMs: 100 })
  const { find } = counted({ tenants })
  for (let round = 1; round <= 3; round += 1) {
    const locked = await lockAssets(catalog)
    const [alone, ...shared] = await outcomes([
      findAsset(tenants.forOrg(orgId), orgId, id),
      ...[id, 1, id].map((one) => find(orgId, one)),
    ])
    expect(alone).toMatchObject({ code: '57014' })
    expect(shared).toEqual([alone, alone, alone])
    await locked.release()
    expect(await find(orgId, id)).toMatchObject({ id })
  }
  await tenants.close()
})

test('a client that leaves a shared get does not disturb the others', async ({ catalog }) => {
  const { orgId } = catalog
  const { id } = await catalog.asset()
  const { find, statements } = counted(catalog)
  for (let round = 1; round <= 3; round += 1) {
    const locked = await lockAssets(catalog)
    const [leaving, staying] = [clientOf(), clientOf()]
    const gets = [leaving, staying].map(({ trace }) => withTrace(trace, () => find(orgId, id)))
    await locked.isAwaited()
    leaving.leave()
    const late = withTrace(leaving.trace, () => find(orgId, id))
    await locked.release()
    expect(await outcomes([...gets, late])).toEqual(Array(3).fill(expect.objectContaining({ id })))
    expect(statements).toHaveLength(2 * round)
  }
})

function clientOf() {
  const response = Object.assign(new EventEmitter(), { closed: false, writableFinished: false })
  const client = new RequestClient(response as unknown as ServerResponse)
  return {
    trace: { ...rootTrace(), client },
    leave() {
      response.closed = true
      response.emit('close')
    },
  }
}

const LARGE = 8_000
const GETS = 32
/** An asset reads up to three index pages and its own, and so do its tags. */
const MOST_BUFFERS = 8 * GETS

test.for([
  ['of a large organization alone', 0, 'large'],
  ['of a tiny organization beside a large one', 1, 'tiny'],
  ['of a large organization among many small ones, for which the plan is made', 3_000, 'large'],
] as const)(
  'one plan for all organizations reads only the assets %s',
  async ([, small, asker], { catalog }) => {
    const { database, tenants } = catalog
    const first = catalog.orgId * 1_000_000
    await sql`
    insert into asset (org_id, id, external_key, name)
    select case when i > ${LARGE}::bigint then ${first}::bigint + i else ${catalog.orgId} end, ${first}::bigint + i, 'A' || i, 'Asset'
    from generate_series(1, ${LARGE + small}::bigint) as i`.execute(database.db)
    await sql`
    insert into tag (org_id, asset_id, tag_type, value, match_value)
    select org_id, id, 'rfid', 'T' || id, 'T' || id from asset
    where id between ${first}::bigint + 1 and ${first}::bigint + ${LARGE + small}::bigint`.execute(
      database.db,
    )
    await sql`vacuum analyze asset, tag`.execute(database.db)
    const orgId = asker === 'large' ? catalog.orgId : first + LARGE + 1
    const recorder = new Recorder()
    const find = assetFinder(recorder.tenants(tenants))
    const ids = Array.from({ length: GETS }, (_, i) => first + LARGE + 1 - i * Math.floor(LARGE / GETS))
    const found = await Promise.all(ids.map((id) => find(orgId, id)))
    expect(found.filter((row) => row?.tags.length === 1)).toHaveLength(asker === 'large' ? GETS - 1 : 1)
    const { text, values } = recorder.recorded[0]!
    const literals = values.map((value) => (Array.isArray(value) ? `{${value.join()}}` : value))
    const asked = { role: 'test_catalog_tenant', orgId, text, values: literals }
    expect(await buffersOfFixedPlan(database.pool, asked)).toBeLessThan(MOST_BUFFERS)
  },
)

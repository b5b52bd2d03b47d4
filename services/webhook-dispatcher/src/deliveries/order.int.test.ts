import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Db } from '../db.ts'
import { recordEvents } from '../events/events.queries.ts'
import {
  addEndpoint,
  deliveryRows,
  hurry,
  receivedIds,
  recordMoves,
  test,
} from '../../test/dispatcher.fixture.ts'
import type { Receiver } from '@whereabouts/testing/receiver'

const SOON = { timeout: 15_000 }
const BOTH = ['asset.moved', 'asset.created']

/** Assets of these ids were created. */
async function recordCreated(db: Db, orgId: number, assetIds: readonly number[]): Promise<void> {
  const occurredAt = '2026-11-21T10:00:00.500Z'
  const eventOf = (id: number) => ({
    orgId,
    id: randomUUID(),
    type: 'asset.created',
    occurredAt,
    data: JSON.stringify({ asset: { id } }),
  })
  await recordEvents(db, assetIds.map(eventOf))
}

type Body = { event: string; data: { asset: { id: number } } }
const bodies = ({ received }: Receiver) => received.map(({ body }) => JSON.parse(body.toString()) as Body)
const assetOf = (body: Buffer) => (JSON.parse(body.toString()) as Body).data.asset.id

test('D13.12 a move does not wait behind an import of 20 000 assets', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addEndpoint(database.db, orgId, receiver.url, { event_types: BOTH })
  const range = (from: number) => Array.from({ length: 1_000 }, (_, i) => 1_000 + from + i)
  for (let from = 0; from < 20_000; from += 1_000) await recordCreated(database.db, orgId, range(from))
  dispatcher().deliverFor(orgId)
  for (let round = 0; round < 3; round += 1) {
    await expect.poll(() => receiver.received.length, SOON).toBeGreaterThan(100 * round)
    const before = receiver.received.length
    const [id] = await recordMoves(database.db, orgId)
    await expect.poll(() => receivedIds(receiver), SOON).toContain(id)
    const others = receivedIds(receiver).indexOf(id ?? '') - before
    expect(others).toBeLessThan(5_000) // what was sent until the sweep that found the move, and not the rest
  }
})

test('D13.4 extended: events of one thing arrive in order, and those of other things are not held up', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addEndpoint(database.db, orgId, receiver.url, { event_types: BOTH, retry: 'extended' })
  let isBroken = true
  receiver.respondWith(({ body }, response) => {
    response.writeHead(isBroken && assetOf(body) === 1 ? 500 : 204).end()
  })
  dispatcher().deliverFor(orgId)
  for (let round = 1; round <= 3; round += 1) {
    isBroken = true
    receiver.received.length = 0
    await recordCreated(database.db, orgId, [1])
    const moves: string[] = []
    for (let i = 0; i < 5; i += 1) moves.push(...(await recordMoves(database.db, orgId, 1, 1)))
    const other = await recordMoves(database.db, orgId, 20, 2)
    await expect
      .poll(() => receivedIds(receiver).filter((id) => other.includes(id)).length, SOON)
      .toBe(other.length)
    const waiting = async () =>
      (await deliveryRows(database.db, orgId)).filter(({ state }) => state === 'waiting')
    await expect.poll(async () => (await waiting()).length, SOON).toBe(6)
    expect((await waiting()).slice(1).every(({ attempts }) => attempts === 0)).toBe(true)
    isBroken = false
    const ofOne = () => receiver.received.filter(({ body }) => assetOf(body) === 1)
    await expect
      .poll(() => hurry(database.db, orgId).then(async () => (await waiting()).length), SOON)
      .toBe(0)
    const delivered = [...new Set(ofOne().map(({ headers }) => headers['x-service-delivery']))]
    expect(delivered.slice(1)).toEqual(moves)
  }
})

test('D13.4 an endpoint that was dead for 70 hours gets everything, in order per asset', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addEndpoint(database.db, orgId, receiver.url, { retry: 'extended' })
  receiver.respondWith((_, response) => void response.writeHead(503).end())
  const { counted } = dispatcher().deliverFor(orgId)
  const assets = [1, 2, 3]
  const ids = new Map<number, string[]>(assets.map((asset) => [asset, []]))
  const HOURS = 70
  for (let hour = 0; hour < HOURS; hour += 10) {
    for (const asset of assets) ids.get(asset)?.push(...(await recordMoves(database.db, orgId, 2, asset)))
    const failed = counted.length
    await expect
      .poll(() => hurry(database.db, orgId).then(() => counted.length), SOON)
      .toBeGreaterThan(failed)
    await sql`update delivery set first_at = first_at - interval '10 hours', last_at = last_at - interval '10 hours'
      where org_id = ${orgId}`.execute(database.db)
    await sql`update webhook set failing_since = failing_since - interval '10 hours' where org_id = ${orgId}`.execute(
      database.db,
    )
  }
  const taken: { asset: number; id: string | undefined }[] = []
  receiver.respondWith(({ body, headers }, response) => {
    taken.push({ asset: assetOf(body), id: headers['x-service-delivery'] })
    response.writeHead(204).end()
  })
  await expect
    .poll(() => hurry(database.db, orgId).then(() => taken.length), SOON)
    .toBe(assets.length * 2 * (HOURS / 10))
  for (const asset of assets)
    expect(taken.flatMap((one) => (one.asset === asset ? one.id : []))).toEqual(ids.get(asset))
  expect(counted.filter((what) => what.startsWith('dropped'))).toEqual([])
  await expect
    .poll(
      async () => (await deliveryRows(database.db, orgId)).every(({ state }) => state === 'delivered'),
      SOON,
    )
    .toBe(true)
})

test('D13.4 after 72 hours the delivery has failed, and the next event of the thing goes on', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addEndpoint(database.db, orgId, receiver.url, { retry: 'extended' })
  receiver.respondWith((_, response) => void response.writeHead(503).end())
  dispatcher().deliverFor(orgId)
  await recordMoves(database.db, orgId, 2)
  const rows = () => deliveryRows(database.db, orgId)
  await expect.poll(rows, SOON).toMatchObject([{ state: 'waiting' }, { state: 'waiting', attempts: 0 }])
  await sql`update delivery set first_at = first_at - interval '72 hours' where org_id = ${orgId}`.execute(
    database.db,
  )
  await expect
    .poll(() => hurry(database.db, orgId).then(async () => (await rows()).map(({ state }) => state)), SOON)
    .toEqual(['failed', 'waiting'])
  await expect.poll(async () => (await rows())[1]?.attempts, SOON).toBeGreaterThan(0)
})

test('an endpoint gets its types, and a filter is a condition where it applies', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  const filter = { asset_types: [], location_ids: [7], include_descendants: true }
  const everything = { event_types: [...BOTH, 'reader.silent'], filter }
  await addEndpoint(database.db, orgId, `${receiver.url}/filtered`, everything)
  await addEndpoint(database.db, orgId, `${receiver.url}/created`, { event_types: ['asset.created'] })
  const ids = await recordMoves(database.db, orgId, 3)
  await sql`update event set about = case id when ${ids[0]}::uuid then '{"at": [9], "within": [9, 7]}'::jsonb
    else '{"at": [8], "within": [8]}' end where org_id = ${orgId}`.execute(database.db)
  await recordCreated(database.db, orgId, [1, 2])
  dispatcher().deliverFor(orgId)
  await expect.poll(() => receiver.received.length, SOON).toBe(5)
  const got = (path: string) =>
    bodies({ ...receiver, received: receiver.received.filter((one) => one.path === path) }).map(
      ({ event }) => event,
    )
  expect(got('/hook/filtered').toSorted()).toEqual(['asset.created', 'asset.created', 'asset.moved'])
  expect(got('/hook/created')).toEqual(['asset.created', 'asset.created'])
})

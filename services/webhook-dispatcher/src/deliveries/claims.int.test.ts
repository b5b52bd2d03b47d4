import type { ServerResponse } from 'node:http'
import type { Receiver } from '@whereabouts/testing/receiver'
import { describe, expect } from 'vitest'
import { addWebhook, deliveryRows, receivedIds, recordMoves, test } from '../../test/dispatcher.fixture.ts'
import { CONCURRENCY_LIMITS } from './adaptive-concurrency.ts'

const SOON = { timeout: 15_000 }

/** Holds every response on this path until `release`. */
function holdResponses(receiver: Receiver, path = '/hook') {
  const held: ServerResponse[] = []
  let open = false
  receiver.respondWith((request, response) => {
    if (open || request.path !== path) response.writeHead(204).end()
    else held.push(response)
  })
  return {
    release: () => {
      open = true
      for (const response of held.splice(0)) response.writeHead(204).end()
    },
  }
}

test('a process that disappears leaves its deliveries to another, which sends them with the same bytes', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  for (let round = 0; round < 3; round += 1) {
    receiver.received.length = 0
    holdResponses(receiver)
    const doomed = dispatcher({ leaseMs: 1_500, attemptTimeoutMs: 60_000 }).deliverFor(orgId)
    const ids = await recordMoves(database.db, orgId, 2)
    await expect.poll(() => receivedIds(receiver), SOON).toEqual(ids)
    await doomed.stopDeliveries(0) // as after a SIGKILL, nothing of the requests is saved
    await database.db
      .updateTable('webhook')
      .set({ claimed_by: '00000000-0000-4000-8000-000000000000' })
      .where('org_id', '=', orgId)
      .execute()
    receiver.respondWith((_, response) => void response.writeHead(204).end())
    const second = dispatcher().deliverFor(orgId)
    await expect.poll(() => receivedIds(receiver), SOON).toEqual([...ids, ...ids])
    const [sent, , again] = receiver.received
    expect(again?.body).toEqual(sent?.body)
    await second.stopDeliveries()
  }
})

test('a claim is renewed as long as a request takes: no other process sends it as well', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  const { release } = holdResponses(receiver)
  const leaseMs = 1_500
  dispatcher({ leaseMs, attemptTimeoutMs: 60_000 }).deliverFor(orgId)
  await recordMoves(database.db, orgId)
  await expect.poll(() => receiver.received.length, SOON).toBe(1)
  dispatcher({ leaseMs }).deliverFor(orgId)
  const claim = () =>
    database.db
      .selectFrom('webhook')
      .select(['claimed_by', 'claimed_until'])
      .where('org_id', '=', orgId)
      .executeTakeFirstOrThrow()
  const first = await claim()
  for (let renewal = 0, { claimed_until: last } = first; renewal < 4; renewal += 1) {
    await expect.poll(async () => (await claim()).claimed_until, SOON).not.toBe(last)
    last = (await claim()).claimed_until
  }
  expect((await claim()).claimed_by).toBe(first.claimed_by)
  expect(receiver.received).toHaveLength(1)
  release()
  await expect.poll(() => deliveryRows(database.db, orgId), SOON).toMatchObject([{ state: 'delivered' }])
})

test('two replicas share the organizations; when one stops in the middle, everything is sent once', async ({
  database,
  receiver,
  newOrg,
  dispatcher,
}) => {
  const orgs = Array.from({ length: 20 }, newOrg)
  for (const org of orgs) await addWebhook(database.db, org, receiver.url)
  receiver.respondWith((_, response) => void setTimeout(() => response.writeHead(204).end(), 10))
  const replicas = [dispatcher(), dispatcher()].map((one) => one.deliverFor(...orgs))
  const ids: string[] = []
  for (let round = 0; round < 3; round += 1)
    for (const org of orgs) ids.push(...(await recordMoves(database.db, org, 20)))
  await expect.poll(() => receiver.received.length, SOON).toBeGreaterThan(100)
  await replicas[0]?.stopDeliveries()
  await expect.poll(() => new Set(receivedIds(receiver)).size, SOON).toBe(ids.length)
  expect(receivedIds(receiver).toSorted()).toEqual(ids.toSorted())
  await replicas[1]?.stopDeliveries()
  expect(
    await database.db.selectFrom('webhook').select('id').where('claimed_by', 'is not', null).execute(),
  ).toEqual([])
})

test('stopping lets requests under way end, and begins no other', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  const { release } = holdResponses(receiver)
  const first = dispatcher({ attemptTimeoutMs: 60_000 }).deliverFor(orgId)
  const ids = await recordMoves(database.db, orgId, 10)
  await expect.poll(() => receiver.received.length, SOON).toBe(CONCURRENCY_LIMITS.unknown)
  const stopped = first.stopDeliveries()
  release()
  await stopped
  expect(receivedIds(receiver)).toEqual(ids.slice(0, CONCURRENCY_LIMITS.unknown))
  dispatcher().deliverFor(orgId)
  await expect.poll(() => receivedIds(receiver).toSorted(), SOON).toEqual(ids.toSorted())
})

test('an endpoint that has nothing to do is left, also after retries, and taken up again', async ({
  database,
  receiver,
  orgId,
  dispatcher,
}) => {
  await addWebhook(database.db, orgId, receiver.url)
  dispatcher().deliverFor(orgId)
  const claims = () =>
    database.db.selectFrom('webhook').select('claimed_by').where('org_id', '=', orgId).execute()
  for (let round = 1; round <= 3; round += 1) {
    let left = round - 1
    receiver.respondWith((_, response) => void response.writeHead((left -= 1) < 0 ? 204 : 500).end())
    const [id] = await recordMoves(database.db, orgId)
    await expect
      .poll(async () => (await deliveryRows(database.db, orgId)).at(-1), SOON)
      .toMatchObject({ delivery_id: id, state: 'delivered', attempts: round })
    await expect.poll(claims, SOON).toEqual([{ claimed_by: null }])
  }
})

describe('D11.6', () => {
  test('a receiver that hangs does not delay another organization', async ({
    database,
    receiver,
    orgId,
    newOrg,
    dispatcher,
  }) => {
    const hanging = newOrg()
    holdResponses(receiver, '/hook/hanging')
    await addWebhook(database.db, hanging, `${receiver.url}/hanging`)
    await addWebhook(database.db, orgId, receiver.url)
    const { stopDeliveries } = dispatcher({ attemptTimeoutMs: 60_000 }).deliverFor(hanging, orgId)
    await recordMoves(database.db, hanging, 20)
    await expect.poll(() => receiver.received.length, SOON).toBe(CONCURRENCY_LIMITS.unknown)
    for (let round = 0; round < 3; round += 1) {
      const [id] = await recordMoves(database.db, orgId)
      await expect.poll(() => receivedIds(receiver).at(-1), SOON).toBe(id)
    }
    await stopDeliveries(0)
  })

  test('more hanging organizations than there are places do not stop a healthy one', async ({
    database,
    receiver,
    orgId,
    newOrg,
    dispatcher,
  }) => {
    holdResponses(receiver, '/hook/hanging')
    const hanging = Array.from({ length: 24 }, newOrg)
    for (const org of hanging) await addWebhook(database.db, org, `${receiver.url}/hanging`)
    await addWebhook(database.db, orgId, receiver.url)
    const requestsAtOnce = { well: 4, slow: 4 }
    const { stopDeliveries, deps } = dispatcher({ requestsAtOnce, attemptTimeoutMs: 60_000 }).deliverFor(
      ...hanging,
      orgId,
    )
    for (const org of hanging) await recordMoves(database.db, org, 3)
    await expect.poll(() => deps.slots.running().slow, SOON).toBeGreaterThanOrEqual(requestsAtOnce.slow)
    const ids = await recordMoves(database.db, orgId, 50)
    const got = () =>
      receiver.received
        .filter(({ path }) => path === '/hook')
        .map(({ headers }) => headers['x-service-delivery'] ?? '')
    await expect.poll(() => got().toSorted(), SOON).toEqual(ids.toSorted())
    await stopDeliveries(0)
  })
})

test(
  '10 000 moves reach a receiver that does not respond at first; they wait without rows',
  { timeout: 120_000 },
  async ({ database, receiver, orgId, dispatcher }) => {
    const { release } = holdResponses(receiver)
    await addWebhook(database.db, orgId, receiver.url)
    const { counted, deps } = dispatcher({ attemptTimeoutMs: 120_000 }).deliverFor(orgId)
    const ids: string[] = []
    for (let i = 0; i < 20; i += 1) ids.push(...(await recordMoves(database.db, orgId, 500)))
    await expect.poll(() => receiver.received.length, SOON).toBe(CONCURRENCY_LIMITS.unknown)
    expect(await deliveryRows(database.db, orgId)).toEqual([])
    release()
    const delivered = () => counted.filter((what) => what === 'delivered').length
    await expect.poll(delivered, { timeout: 110_000, interval: 250 }).toBe(ids.length)
    expect(receivedIds(receiver).toSorted()).toEqual(ids.toSorted())
    expect(deps.slots.running()).toEqual({ well: 0, slow: 0 })
  },
)

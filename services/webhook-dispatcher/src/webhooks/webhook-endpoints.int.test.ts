import { limits } from '@whereabouts/contracts/limits'
import type { WebhookView } from '@whereabouts/contracts/resources/webhooks/webhooks'
import { expect } from 'vitest'
import { addDelivery } from '../../test/dispatcher.fixture.ts'
import { HOOK, test, type EndpointOwner } from '../../test/endpoints.fixture.ts'

const MAX = limits.webhookEndpoints.organization

const idsOf = async (call: EndpointOwner['endpoints'], query = '') =>
  ((await call('GET', query)).json().data as WebhookView[]).map(({ id }) => id)
const viewOf = async (call: EndpointOwner['endpoints'], id: number) =>
  (await call('GET', `/${id}`)).json().data as WebhookView

/** Each operation on one webhook. */
const operations = [
  ['GET', ''],
  ['PATCH', '', { enabled: false }],
  ['POST', '/test'],
  ['POST', '/rotate-secret'],
  ['DELETE', ''],
] as const
const statusesOf = async (call: EndpointOwner['endpoints'], id: number) => {
  const statuses = []
  for (const [method, path, body] of operations)
    statuses.push((await call(method, `/${id}${path}`, body)).statusCode)
  return statuses
}
const NOT_FOUND = operations.map(() => 404)
const DONE = [200, 200, 200, 200, 204]

test('D13.9 /webhook-endpoints shows the webhook of the contract first, /webhooks nothing else', async ({
  owner,
}) => {
  const { endpoints, webhooks, add, addPrimary } = owner()
  const [one, two] = [await add(), await add({ url: `${HOOK}/2` })]
  const primary = await addPrimary()
  const list = (await endpoints('GET')).json()
  expect(list).toMatchObject({ limit: 50, offset: 0, total_count: 3 })
  expect(list.data.map(({ id, primary: is }: WebhookView) => [id, is])).toEqual([
    [primary.id, true],
    [one.id, false],
    [two.id, false],
  ])
  expect(await idsOf(endpoints, '?limit=1&offset=1')).toEqual([one.id])
  expect((await webhooks('GET')).json()).toMatchObject({ data: [{ id: primary.id }], total_count: 1 })
  expect(await statusesOf(webhooks, one.id)).toEqual(NOT_FOUND)
  expect((await webhooks('GET', `/${one.id}/deliveries`)).statusCode).toBe(404)
  expect(await viewOf(endpoints, one.id)).toMatchObject({ enabled: true, updated_at: one.updated_at })
})

test('D13.9 the webhook of the contract is changed and deleted at either place, and made at one', async ({
  owner,
}) => {
  const { endpoints, webhooks, add, addPrimary } = owner()
  expect(await add()).toMatchObject({ primary: false })
  expect((await webhooks('GET')).json().total_count).toBe(0)
  for (const place of [endpoints, webhooks, endpoints]) {
    const { id } = await addPrimary()
    expect((await webhooks('POST', '', { url: HOOK })).statusCode).toBe(409)
    expect(await viewOf(place, id)).toMatchObject({ primary: true, enabled: true })
    expect(await statusesOf(place, id)).toEqual(DONE)
    expect((await webhooks('GET', `/${id}`)).statusCode).toBe(404)
  }
})

test('D13.9 ten further webhooks, then 409, however many come at once at two replicas', async ({
  dispatcher,
  owner,
}) => {
  const mine = owner()
  const other = dispatcher()
  const both = () =>
    Array.from({ length: 2 * MAX }, (_, n) => {
      const body = { url: `${HOOK}/${n}` }
      return n % 2 === 0
        ? mine.endpoints('POST', '', body)
        : other.request(mine.orgId, 'POST', '/webhook-endpoints', body)
    })
  const count = (replies: { statusCode: number }[], status: number) =>
    replies.filter(({ statusCode }) => statusCode === status).length
  const first = await Promise.all(both())
  expect([count(first, 201), count(first, 409)]).toEqual([MAX, MAX])
  for (let free = 1; free <= 3; free += 1) {
    for (const id of (await idsOf(mine.endpoints)).slice(0, free)) await mine.endpoints('DELETE', `/${id}`)
    expect(count(await Promise.all(both()), 201)).toBe(free)
  }
  const refused = (await mine.endpoints('POST', '', { url: HOOK })).json().error
  expect(refused).toMatchObject({
    type: 'conflict',
    detail: 'The organization has 10 further webhooks. Delete one first',
  })
  const { id } = await mine.addPrimary()
  expect((await mine.endpoints('GET')).json().total_count).toBe(MAX + 1)
  const further = (await idsOf(mine.endpoints)).find((one) => one !== id)
  await mine.endpoints('DELETE', `/${further}`)
  await mine.add()
  expect((await mine.endpoints('POST', '', { url: HOOK })).statusCode).toBe(409)
  await owner().add()
})

test("D13.9 another organization's webhooks look missing on every operation and stay unchanged", async ({
  owner,
}) => {
  const [theirs, mine] = [owner(), owner()]
  for (const view of [await theirs.add(), await theirs.addPrimary()]) {
    expect(await statusesOf(mine.endpoints, view.id)).toEqual(NOT_FOUND)
    expect(await statusesOf(mine.webhooks, view.id)).toEqual(NOT_FOUND)
    expect(await viewOf(theirs.endpoints, view.id)).toMatchObject({
      enabled: true,
      updated_at: view.updated_at,
    })
  }
  expect((await mine.endpoints('GET')).json()).toMatchObject({ data: [], total_count: 0 })
})

test('D13.5 a further webhook has a secret of its own, which tests and rotations use', async ({
  owner,
  receiver,
}) => {
  const { endpoints, add } = owner()
  const [one, two] = [await add({ url: `${receiver.url}/1` }), await add({ url: `${receiver.url}/2` })]
  expect(one.secret).not.toBe(two.secret)
  for (const { id, secret } of [two, one, two]) {
    const { data } = (await endpoints('POST', `/${id}/rotate-secret`)).json()
    expect(data.secret).toMatch(/^whsec_[0-9a-f]{64}$/)
    expect(data.secret).not.toBe(secret)
    expect((await endpoints('POST', `/${id}/test`)).json().data.status_code).toBe(204)
  }
  expect(receiver.received.map(({ path }) => path)).toEqual(['/hook/2', '/hook/1', '/hook/2'])
})

test('deleting a further webhook deletes its deliveries alone', async ({ database, owner }) => {
  const { orgId, endpoints, add } = owner()
  const [gone, kept] = [await add(), await add()]
  for (const { id } of [gone, kept])
    for (const seq of [1, 2, 3]) await addDelivery(database.db, orgId, id, seq)
  await endpoints('DELETE', `/${gone.id}`)
  const left = database.db.selectFrom('delivery').select('webhook_id').where('org_id', '=', orgId)
  expect(await left.execute()).toEqual([1, 2, 3].map(() => ({ webhook_id: kept.id })))
  const hours = database.db.selectFrom('delivery_hour').select('webhook_id').where('org_id', '=', orgId)
  expect(await hours.execute()).toEqual([{ webhook_id: kept.id }])
})

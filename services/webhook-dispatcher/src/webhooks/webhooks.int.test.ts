import { expect } from 'vitest'
import {
  addDelivery,
  secretKeys,
  test as dispatcherTest,
  type TestDispatcher,
  webhookOf,
} from '../../test/dispatcher.fixture.ts'
import { openSecret } from './secrets.ts'

const URL_OF_HOOK = 'https://example.com/hook'

type Organization = {
  orgId: number
  call: (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path?: string, body?: unknown) => ReturnType<Call>
  create: (url?: string) => ReturnType<Call>
}
type Call = TestDispatcher['call']

const test = dispatcherTest.extend<{
  app: TestDispatcher['app']
  /** An organization that no other test uses, and its calls. */
  organization: () => Organization
  api: TestDispatcher
}>({
  api: async ({ dispatcher }, use) => use(dispatcher({ allowPrivateTargets: false })),
  app: async ({ api }, use) => use(api.app),
  organization: async ({ api, newOrg }, use) =>
    use(() => {
      const orgId = newOrg()
      const call: Organization['call'] = (method, path, body) => api.call(orgId, method, path, body)
      return { orgId, call, create: (url = URL_OF_HOOK) => call('POST', '', { url }) }
    }),
})

test('D11.1 the secret is complete at creation, masked afterwards, and encrypted at rest', async ({
  database,
  organization,
}) => {
  const { orgId, call, create } = organization()
  const created = await create()
  expect(created.statusCode).toBe(201)
  const { data } = created.json()
  expect(data).toMatchObject({ url: URL_OF_HOOK, enabled: true })
  expect(data.secret).toMatch(/^whsec_[0-9a-f]{64}$/)
  expect(created.headers['location']).toBe(`/api/v1/webhooks/${data.id}`)

  const masked = { ...data, secret: `whsec_…${data.secret.slice(-4)}` }
  expect((await call('GET', `/${data.id}`)).json()).toEqual({ data: masked })
  expect((await call('GET')).json()).toEqual({ data: [masked], limit: 50, offset: 0, total_count: 1 })
  expect((await call('PATCH', `/${data.id}`, {})).json().data.secret).toBe(masked.secret)

  const stored = await webhookOf(database.db, orgId)
  expect(JSON.stringify(stored)).not.toContain(data.secret.slice(6))
  expect(stored && openSecret(secretKeys, orgId, stored)).toBe(data.secret)
})

test('ids come from the share of this service', async ({ organization }) => {
  const { data } = (await organization().create()).json()
  expect(BigInt(data.id) >> 50n).toBe(3n)
})

test('D11.1 a second webhook is a conflict, also for concurrent requests', async ({ organization }) => {
  const { call, create } = organization()
  const replies = await Promise.all([create(), create(), create()])
  expect(replies.map((a) => a.statusCode).toSorted((a, b) => a - b)).toEqual([201, 409, 409])
  const refused = await create()
  expect(refused.json().error).toMatchObject({
    type: 'conflict',
    detail: 'The organization already has a webhook',
  })
  expect((await call('GET')).json().total_count).toBe(1)
})

test('after a deletion, a new webhook has another id and secret', async ({ organization }) => {
  const { call, create } = organization()
  const { data: first } = (await create()).json()
  expect((await call('DELETE', `/${first.id}`)).statusCode).toBe(204)
  expect((await call('DELETE', `/${first.id}`)).json().error.type).toBe('not_found')
  expect((await call('GET', `/${first.id}`)).statusCode).toBe(404)
  expect((await call('GET')).json()).toMatchObject({ data: [], total_count: 0 })
  const { data: second } = (await create()).json()
  expect(second.id).not.toBe(first.id)
  expect(second.secret).not.toBe(first.secret)
})

test('PATCH changes the given fields, keeps the others, and advances updated_at', async ({
  organization,
}) => {
  const { call, create } = organization()
  const { data } = (await create()).json()
  const off = (await call('PATCH', `/${data.id}`, { enabled: false })).json().data
  expect(off).toMatchObject({ url: URL_OF_HOOK, enabled: false, created_at: data.created_at })
  expect(off.updated_at > data.updated_at).toBe(true)
  const moved = (await call('PATCH', `/${data.id}`, { url: 'https://example.com/other' })).json().data
  expect(moved).toMatchObject({ url: 'https://example.com/other', enabled: false })
  const touched = (await call('PATCH', `/${data.id}`, {})).json().data
  expect(touched.updated_at > moved.updated_at).toBe(true)
})

test.for([
  ['null for the URL', { url: null }, 'invalid_value', 'url'],
  ['null for the toggle', { enabled: null }, 'invalid_value', 'enabled'],
  ['an unknown field', { secret: 'whsec_mine' }, 'unknown_field', 'secret'],
  ['plain http', { url: 'http://example.com' }, 'invalid_value', 'url'],
  ['an empty URL', { url: '' }, 'too_short', 'url'],
  ['a URL that is too long', { url: `https://example.com/${'a'.repeat(2048)}` }, 'too_long', 'url'],
  ['a private target', { url: 'https://10.0.0.1/' }, 'invalid_value', 'url'],
] as const)(
  '%s is refused by POST and PATCH, and changes nothing',
  async ([, body, code, field], { organization }) => {
    const { call, create } = organization()
    const { data } = (await create()).json()
    const patched = await call('PATCH', `/${data.id}`, body)
    expect(patched.statusCode).toBe(400)
    expect(patched.json().error.fields[0]).toMatchObject({ field, code })
    expect((await call('GET', `/${data.id}`)).json().data).toMatchObject({
      url: URL_OF_HOOK,
      updated_at: data.updated_at,
    })
    const posted = await organization().call('POST', '', { url: URL_OF_HOOK, ...body })
    expect(posted.json().error.fields[0]).toMatchObject({ field, code })
  },
)

test('a URL of 2048 characters is accepted', async ({ organization }) => {
  const url = `https://example.com/${'a'.repeat(2048 - 20)}`
  expect((await organization().create(url)).json().data.url).toBe(url)
})

test("D10 another organization's webhook looks missing on every operation and stays unchanged", async ({
  organization,
}) => {
  const theirs = organization()
  const mine = organization()
  const { data } = (await theirs.create()).json()
  const replies = [
    await mine.call('GET', `/${data.id}`),
    await mine.call('PATCH', `/${data.id}`, { enabled: false }),
    await mine.call('DELETE', `/${data.id}`),
    await mine.call('GET', `/${data.id}/deliveries`),
    await mine.call('POST', `/${data.id}/test`),
    await mine.call('POST', `/${data.id}/rotate-secret`),
  ]
  expect(replies.map((a) => a.json().error.type)).toEqual(Array(6).fill('not_found'))
  expect((await mine.call('GET')).json().total_count).toBe(0)
  expect((await theirs.call('GET', `/${data.id}`)).json().data).toMatchObject({ enabled: true })
})

test('without a principal, the reply is 401', async ({ app }) => {
  const reply = await app.inject({ method: 'GET', url: '/api/v1/webhooks' })
  expect(reply.statusCode).toBe(401)
})

test('switching on sets enabled_at; saving an enabled webhook again does not', async ({
  database,
  organization,
}) => {
  const { orgId, call, create } = organization()
  const { data } = (await create()).json()
  const enabledAt = async () => (await webhookOf(database.db, orgId))?.enabled_at ?? ''
  const first = await enabledAt()
  await call('PATCH', `/${data.id}`, { enabled: true, url: 'https://example.com/b' })
  expect(await enabledAt()).toBe(first)
  await call('PATCH', `/${data.id}`, { enabled: false })
  expect(await enabledAt()).toBe(first)
  await call('PATCH', `/${data.id}`, { enabled: true })
  expect((await enabledAt()) > first).toBe(true)
})

test('deleting a webhook deletes its deliveries and their statistics, of no other one', async ({
  database,
  organization,
}) => {
  const { orgId, call, create } = organization()
  const other = organization()
  const { data } = (await create()).json()
  const { data: theirs } = (await other.create()).json()
  await addDelivery(database.db, orgId, data.id)
  await addDelivery(database.db, other.orgId, theirs.id)
  await call('DELETE', `/${data.id}`)
  for (const table of ['delivery', 'delivery_hour'] as const) {
    const left = database.db.selectFrom(table).select('org_id').where('org_id', 'in', [orgId, other.orgId])
    expect(await left.execute()).toEqual([{ org_id: other.orgId }])
  }
})

import type { WebhookView } from '@whereabouts/contracts/resources/webhooks/webhooks'
import { expect } from 'vitest'
import { test as dispatcherTest, type TestDispatcher } from './dispatcher.fixture.ts'

type Call = TestDispatcher['call']
type Method = Parameters<Call>[1]

/** An organization that no other test uses, and its calls. */
export type EndpointOwner = {
  orgId: number
  endpoints: (method: Method, path?: string, body?: unknown) => ReturnType<Call>
  webhooks: (method: Method, path?: string, body?: unknown) => ReturnType<Call>
  /** Creates a further webhook. */
  add: (body?: object) => Promise<WebhookView>
  /** Creates the webhook of the contract. */
  addPrimary: (body?: object) => Promise<WebhookView>
}

export const HOOK = 'https://example.com/hook'

export const test = dispatcherTest.extend<{
  api: TestDispatcher
  owner: (of?: TestDispatcher) => EndpointOwner
}>({
  api: async ({ dispatcher }, use) => use(dispatcher()),
  owner: async ({ api, newOrg }, use) =>
    use((replica = api) => {
      const orgId = newOrg()
      const at =
        (base: string) =>
        (method: Method, path = '', body?: unknown) =>
          replica.request(orgId, method, `${base}${path}`, body)
      const [endpoints, webhooks] = [at('/webhook-endpoints'), at('/webhooks')]
      const adding = (call: typeof endpoints) => async (body?: object) => {
        const reply = await call('POST', '', { url: HOOK, ...body })
        expect(reply.statusCode, reply.body).toBe(201)
        return reply.json<{ data: WebhookView }>().data
      }
      return { orgId, endpoints, webhooks, add: adding(endpoints), addPrimary: adding(webhooks) }
    }),
})

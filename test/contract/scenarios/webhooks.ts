import { newOrganization, succeed } from '../support/organization.ts'
import type { Given, Scenario } from './scenario.ts'

const BODY = { url: 'https://receiver.example/hook' }

/** An organization has one webhook, so each call uses a new organization. */
async function newWebhook({ api }: Given) {
  const { admin: token } = await newOrganization(api)
  const created = await succeed(api.call('createWebhook', { token, body: BODY }))
  return { token, params: { webhook_id: created.body.data.id } }
}

/** No server listens there: the test event fails, but the request succeeds. */
async function unreachable({ api }: Given) {
  const { admin: token } = await newOrganization(api)
  const body = { url: 'http://127.0.0.1:9/hook' }
  const created = await succeed(api.call('createWebhook', { token, body }))
  return { token, params: { webhook_id: created.body.data.id } }
}

async function newEndpoint({ api }: Given, body = BODY) {
  const { admin: token } = await newOrganization(api)
  const created = await succeed(api.call('createWebhookEndpoint', { token, body }))
  return { token, params: { webhook_id: created.body.data.id } }
}

/** As many as there may be. */
async function withAllEndpoints(given: Given) {
  const { token } = await newEndpoint(given)
  for (let i = 1; i < 10; i += 1)
    await succeed(given.api.call('createWebhookEndpoint', { token, body: BODY }))
  return token
}

/** As many test events as the limit allows. */
async function tested(given: Given) {
  const call = await unreachable(given)
  for (let i = 0; i < 5; i += 1) await succeed(given.api.call('testWebhook', call))
  return call
}

export const webhookScenarios: Record<string, Scenario> = {
  listWebhooks: { 200: () => ({}) },
  createWebhook: {
    201: async ({ api }) => ({ token: (await newOrganization(api)).admin, body: BODY }),
    409: async (given) => ({ token: (await newWebhook(given)).token, body: BODY }),
  },
  getWebhook: { 200: newWebhook },
  updateWebhook: { 200: async (given) => ({ ...(await newWebhook(given)), body: { enabled: false } }) },
  rotateWebhookSecret: { 200: newWebhook },
  deleteWebhook: { 204: newWebhook },
  testWebhook: { 200: unreachable, 429: tested },
  listWebhookDeliveries: { 200: newWebhook },
  listWebhookEndpoints: { 200: () => ({}) },
  createWebhookEndpoint: {
    201: async ({ api }) => ({ token: (await newOrganization(api)).admin, body: BODY }),
    409: async (given) => ({ token: await withAllEndpoints(given), body: BODY }),
  },
  getWebhookEndpoint: { 200: newEndpoint },
  updateWebhookEndpoint: {
    200: async (given) => ({ ...(await newEndpoint(given)), body: { enabled: false } }),
  },
  rotateWebhookEndpointSecret: { 200: newEndpoint },
  deleteWebhookEndpoint: { 204: newEndpoint },
  testWebhookEndpoint: { 200: unreachable, 429: tested },
}

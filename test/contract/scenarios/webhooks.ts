import { expect } from 'vitest'
import { newOrganization, succeed } from '../support/organization.ts'
import { newAsset, newLocation, type Given, type Scenario } from './scenario.ts'

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

/** A delivery whose first attempt failed: nobody listens. Those after it would take seconds. */
async function attemptedDelivery(given: Given) {
  const { api } = given
  const org = await newOrganization(api)
  const body = { url: 'http://127.0.0.1:9/hook' }
  const { id } = (await succeed(api.call('createWebhook', { token: org.admin, body }))).body.data
  const { token } = await org.key()
  const [asset, location] = [await newAsset({ ...given, token }), await newLocation({ ...given, token })]
  const save = { asset_identifiers: [asset.external_key], location_identifier: location.external_key }
  await succeed(api.call('saveInventory', { token, body: save }))
  const call = { token: org.admin, params: { webhook_id: id } }
  const list = async () => (await succeed(api.call('listEndpointDeliveries', call))).body.data
  await expect.poll(async () => (await list()).length, { timeout: 20_000 }).toBe(1)
  return { token: org.admin, params: { webhook_id: id, delivery_id: (await list())[0]?.delivery_id ?? '' } }
}

/** Switched off after it. */
async function switchedOff(given: Given) {
  const call = await attemptedDelivery(given)
  const params = { webhook_id: call.params.webhook_id }
  await succeed(given.api.call('updateWebhook', { ...call, params, body: { enabled: false } }))
  return call
}

const ALWAYS = { from: '2026-01-01T00:00:00Z' }
const replays = {
  202: async (given: Given) => ({ ...(await newWebhook(given)), body: ALWAYS }),
  409: async (given: Given) => {
    const call = await newWebhook(given)
    await succeed(given.api.call('updateWebhook', { ...call, body: { enabled: false } }))
    return { ...call, body: ALWAYS }
  },
}
const resends = { 202: attemptedDelivery, 409: switchedOff }

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
  replayWebhook: replays,
  resendWebhookDelivery: resends,
  listEndpointDeliveries: { 200: newWebhook },
  getEndpointDelivery: { 200: attemptedDelivery },
  replayEndpoint: replays,
  resendEndpointDelivery: resends,
  getEndpointStats: { 200: newWebhook },
}

import { MOST_EXISTING } from '@whereabouts/contracts/resources/rules/rules'
import { expect } from 'vitest'
import { newOrganization, succeed } from '../support/organization.ts'
import { newUnseenAssets, raiseAlert, saveAt } from '../support/rules.ts'
import { newLocation, unique, type Given, type Scenario } from './scenario.ts'

const ENTERED = { name: 'At the dock', kind: 'entered' }

const settings = async (given: Given) => ({
  ...ENTERED,
  scope: { location_ids: [(await newLocation(given)).id] },
})

async function newRule(given: Given) {
  const creating = given.api.call('createRule', { token: given.token, body: await settings(given) })
  return { params: { rule_id: (await succeed(creating)).body.data.id } }
}

async function newAlert({ api, token }: Given) {
  const { alert } = await raiseAlert(api, token)
  return { params: { alert_id: alert.id } }
}

/** The asset went back. */
async function resolvedAlert({ api, token }: Given) {
  const { alert, asset, yard } = await raiseAlert(api, token)
  await saveAt(api, token, yard, asset)
  return { params: { alert_id: alert.id }, body: {} }
}

/** Assets that are missing, more than a rule raises without being asked, and a rule that is off. */
async function manyMissing({ api }: Given) {
  const { admin: token } = await newOrganization(api)
  const { id } = (await succeed(api.call('createLocation', { token, body: { name: 'Dock' } }))).body.data
  await newUnseenAssets(api, token, MOST_EXISTING + 1)
  const rule = {
    name: 'Missing',
    kind: 'missing_at',
    scope: { location_ids: [id] },
    params: { time: '00:00' },
  }
  const preview = async () =>
    (await succeed(api.call('previewRule', { token, body: { rule } }))).body.data.now.count
  await expect.poll(preview, { timeout: 20_000, interval: 200 }).toBe(MOST_EXISTING + 1)
  const creating = api.call('createRule', { token, body: { ...rule, enabled: false } })
  const rule_id = (await succeed(creating)).body.data.id
  return { token, params: { rule_id }, body: { enabled: true } }
}

export const ruleScenarios: Record<string, Scenario> = {
  listRules: { 200: () => ({}) },
  createRule: {
    201: async (given) => ({ body: await settings(given) }),
    409: async (given) => {
      const headers = { 'idempotency-key': unique('NAME') }
      const { api, token } = given
      await succeed(api.call('createRule', { token, headers, body: await settings(given) }))
      return { headers, body: await settings(given) }
    },
  },
  getRule: { 200: newRule },
  updateRule: {
    200: async (given) => ({ ...(await newRule(given)), body: { enabled: false } }),
    409: manyMissing,
  },
  deleteRule: { 204: newRule },
  testRule: { 200: newRule },
  previewRule: { 200: async (given) => ({ body: { rule: await settings(given) } }) },
  listAlerts: { 200: () => ({}) },
  getAlert: { 200: newAlert },
  acknowledgeAlert: {
    200: async (given) => ({ ...(await newAlert(given)), body: { note: 'On my way' } }),
    409: resolvedAlert,
  },
  acknowledgeAlerts: {
    200: async (given) => ({ body: { ids: [(await newAlert(given)).params.alert_id] } }),
  },
}

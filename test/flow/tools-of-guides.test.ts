import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createContext, runInContext } from 'node:vm'
import { unwrap } from '@whereabouts/client/client'
import mqtt from 'mqtt'
import { expect, vi } from 'vitest'
import {
  mintKey,
  newAsset,
  newLocation,
  newOrganization,
  newReader,
  readerViews,
  reportRows,
  type ApiKey,
} from '../system/organization.ts'
import type { System } from '../system/system.ts'
import { test } from './flow.fixture.ts'
import { hasProgram } from './guide.ts'

const PATIENTLY = { timeout: 15_000, interval: 50 }
const TAG = { tag_type: 'rfid', value: 'E28011606000020A1B2C3D07' } as const

let system: System
test.beforeAll(({ system: shared }) => {
  system = shared
})

/** The first block of a language in a guide. */
function blockOf(page: string, language: string): string {
  const text = readFileSync(join(import.meta.dirname, `../../docs/${page}.md`), 'utf8')
  const [, block = ''] = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(text) ?? []
  return block
}

async function connect({ clientId, clientSecret }: ApiKey, options: mqtt.IClientOptions = {}) {
  const login = {
    username: clientId,
    password: clientSecret,
    reconnectPeriod: 0,
    protocolVersion: 4,
  } as const
  return mqtt.connectAsync(system.stack.urls.mqtt, { ...login, ...options }, false)
}

test('the Node-RED flow of the guide connects, and its read moves the asset', async () => {
  const org = await newOrganization(system.stack, 'Node-RED')
  const locationId = await newLocation(org, 'Dock', 'DOCK')
  await newReader(org, { key: 'node-red-1', format: 'canonical', locationId, antennas: 1 })
  const asset = await newAsset(org, 'Cart', [TAG])
  const nodes: Record<string, string>[] = JSON.parse(blockOf('mqtt', 'json').replaceAll('42', String(org.id)))
  const node = (type: string) => nodes.find((each) => each['type'] === type) ?? {}
  const { protocolVersion, clientid = '' } = node('mqtt-broker')
  const out = node('mqtt out')
  expect([protocolVersion, out['qos'], out['retain']]).toEqual(['4', '1', 'false'])
  const client = await connect(org.readerKey, { clientId: clientid })
  await client.publishAsync(out['topic'] ?? '', node('inject')['payload'] ?? '', { qos: 1 })
  await vi.waitFor(
    async () =>
      expect(await reportRows(org)).toMatchObject([{ asset_id: asset.id, location_id: locationId }]),
    PATIENTLY,
  )
  await client.endAsync()
})

test('topics of the guide: each is acknowledged, and only what the key may publish arrives', async () => {
  const org = await newOrganization(system.stack, 'Topics')
  const created = await org.admin.POST('/api/v1/orgs/{org_id}/api-keys', {
    params: { path: { org_id: org.id } },
    body: { name: 'dock-1', scopes: ['scans:write'], reader_key: 'dock-1' },
  })
  const { client_id: clientId, client_secret: clientSecret } = unwrap(created).data
  const client = await connect({ clientId, clientSecret })
  const topics = [
    `/scans/${org.id}/dock-1/canonical`,
    `scans/${org.id + 1}/dock-1/canonical`,
    `scans/${org.id}/dock-2/canonical`,
    'readers/dock-1',
    `scans/${org.id}/dock-1/canonical/a/b`,
  ]
  const message = JSON.stringify({ reads: [{ tag: { type: 'rfid', value: TAG.value } }] })
  for (const qos of [1, 2] as const)
    for (const topic of topics) await client.publishAsync(topic, message, { qos })
  await vi.waitFor(
    async () => expect(await readerViews(org)).toMatchObject([{ health: { messages: 2 } }]),
    PATIENTLY,
  )
  expect((await readerViews(org)).map(({ reader_key }) => reader_key)).toEqual(['dock-1'])
  await client.endAsync()
})

test('MQTT 5 is refused, as the guide says', async () => {
  const org = await newOrganization(system.stack, 'MQTT 5')
  await expect(connect(org.readerKey, { protocolVersion: 5 })).rejects.toThrow()
})

test.skipIf(!hasProgram('curl'))('the script for Google Sheets fills all pages (needs curl)', async () => {
  const org = await newOrganization(system.stack, 'Sheets')
  await newLocation(org, 'Dock', 'DOCK')
  const keys = Array.from({ length: 201 }, (_, i) => `BOX-${String(i).padStart(3, '0')}`)
  for (const external_key of keys)
    unwrap(await org.integrator.POST('/api/v1/assets', { body: { external_key, name: external_key } }))
  const save = { asset_identifiers: keys, location_identifier: 'DOCK' }
  unwrap(await org.integrator.POST('/api/v1/inventory/save', { body: save }))
  const { clientId, clientSecret } = await mintKey(org.admin, org.id, 'sheet', ['scans:read'])
  const sheet: string[][] = []
  /** What Google runs the script with, over curl, because it has no promises. */
  const google = createContext({
    PropertiesService: {
      getScriptProperties: () => ({
        getProperties: () => ({ CLIENT_ID: clientId, CLIENT_SECRET: clientSecret }),
      }),
    },
    UrlFetchApp: {
      fetch(url: string, { headers = {}, contentType, payload }: FetchOptions) {
        const all = { ...headers, ...(contentType && { 'Content-Type': contentType }) }
        const sent = Object.entries(all).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
        const body = payload === undefined ? [] : ['-d', payload]
        const { status, stdout, stderr } = spawnSync('curl', ['-sS', '--fail', url, ...sent, ...body], {
          encoding: 'utf8',
        })
        if (status !== 0) throw new Error(stderr)
        return { getContentText: () => stdout }
      },
    },
    SpreadsheetApp: {
      getActiveSheet: () => ({
        clearContents: () => sheet.splice(0),
        getRange: () => ({ setValues: (rows: string[][]) => sheet.push(...rows) }),
      }),
    },
  })
  const script = blockOf('low-code', 'js').replace('https://HOST', system.stack.urls.base)
  runInContext(`${script}\nwhereabouts()`, google)
  expect(sheet[0]).toEqual(['asset', 'location', 'last seen'])
  expect(sheet.slice(1).map(([key, place]) => [key, place])).toEqual(keys.map((key) => [key, 'DOCK']))
})

type FetchOptions = { headers?: Record<string, string>; contentType?: string; payload?: string }

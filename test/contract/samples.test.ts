import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import {
  legacyDescription,
  publicDescription,
  type Description,
} from '@whereabouts/contracts/description/openapi'
import { expect, inject } from 'vitest'
import { hasProgram } from '../flow/guide.ts'
import type { Api } from './support/api.ts'
import { finishedExport } from './support/exports.ts'
import { test as base } from './support/fixtures.ts'
import { succeed, type Key, type Organization } from './support/organization.ts'
import { raiseAlert } from './support/rules.ts'

type Described = { 'x-codeSamples': { source: string }[]; responses: object }
type Sample = { method: string; path: string; source: string; status: string }

const samplesOf = ({ paths, servers }: Description): Sample[] =>
  Object.entries(paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Described>).map(([method, operation]) => ({
      method,
      path: `${servers?.[0]?.url.replace(/\/$/, '')}${path}`,
      source: operation['x-codeSamples'][0]?.source ?? '',
      // The last one: what comes without `check=true`.
      status: Object.keys(operation.responses).findLast((status) => status.startsWith('2')) ?? '',
    })),
  )
const samples = [publicDescription(), legacyDescription()].flatMap(samplesOf)

/** What the examples of the description name, and the ids that it has here. */
type Scene = { org: Organization; key: Key; ids: [RegExp, string][] }

/** `absent`: the key of what the sample creates. `isDelivered`: an event went to its webhook. */
async function newScene(
  api: Api,
  org: Organization,
  { absent, isDelivered }: { absent?: string | undefined; isDelivered: boolean },
): Promise<Scene> {
  const key = await org.key()
  const other = await org.key()
  const { token } = key
  const create = async (operationId: 'createAsset' | 'createLocation', body: { external_key: string }) =>
    body.external_key === absent
      ? undefined
      : (await succeed(api.call(operationId, { token, body: { name: body.external_key, ...body } }))).body
          .data
  await create('createLocation', { external_key: 'WAREHOUSE-1' })
  await create('createAsset', { external_key: 'PALLET-0031' })
  const tagged = (external_key: string) => ({
    external_key,
    tags: [{ tag_type: 'rfid', value: `tag of ${external_key}` }],
  })
  const asset = await create('createAsset', tagged('FORKLIFT-7'))
  const location = await create('createLocation', tagged('DOCK-1'))
  const { rule, alert, dock } = await raiseAlert(api, token)
  const body = { url: 'https://receiver.example/hook' }
  const webhook =
    absent === body.url ? undefined : (await succeed(api.call('createWebhook', { token, body }))).body.data
  const exported = await finishedExport(api, token, { dataset: 'assets', format: 'csv' })
  const ids: Scene['ids'] = [
    [/(?<=\/rules\/)\d+/, `${rule.id}`],
    [/(?<=\/alerts\/)\d+/, `${alert.id}`],
    [/(?<="location_ids":\s*\[\s*)\d+/, `${dock.id}`],
    [/(?<="ids":\s*\[\s*)\d+/, `${alert.id}`],
    [/(?<=\/exports\/)\d+/, `${exported.id}`],
    [/(?<=\/deliveries\/)[\w-]+/, isDelivered && webhook ? await deliveryOf(api, token, webhook.id) : ''],
    [/(?<=\/orgs\/)\d+/, `${org.id}`],
    [/(?<=\/api-keys\/)[\w-]+/, other.jti],
    [/(?<=\/webhook(?:s|-endpoints)\/)\d+/, `${webhook?.id}`],
    [/(?<=\/assets\/)\d+/, `${asset?.id}`],
    [/(?<=\/locations\/)\d+/, `${location?.id}`],
    [/(?<=\/assets\/[\w-]+\/(?:tags|identifiers)\/)\d+/, `${asset?.tags[0]?.id}`],
    [/(?<=\/locations\/[\w-]+\/(?:tags|identifiers)\/)\d+/, `${location?.tags[0]?.id}`],
  ]
  return { org, key, ids }
}

/** Moves the pallet, and returns the id of the delivery after its first attempt. */
async function deliveryOf(api: Api, token: string, webhookId: number): Promise<string> {
  const body = { asset_identifiers: ['PALLET-0031'], location_identifier: 'WAREHOUSE-1' }
  await succeed(api.call('saveInventory', { token, body }))
  const call = { token, params: { webhook_id: webhookId } }
  const list = async () => (await succeed(api.call('listEndpointDeliveries', call))).body.data
  await expect
    .poll(async () => (await list()).length, { timeout: 20_000, interval: 1_000 })
    .toBeGreaterThan(0)
  return (await list())[0]?.delivery_id ?? ''
}

const createdBy = ({ method, path }: Sample): string | undefined => {
  if (method !== 'post') return undefined
  if (/\/webhooks$|\/webhook-endpoints$/.test(path)) return 'https://receiver.example/hook'
  if (path.endsWith('/assets')) return 'FORKLIFT-7'
  return path.endsWith('/locations') ? 'DOCK-1' : undefined
}

/** `scene`: of the samples that only read. */
const test = base.extend('scene', { scope: 'file' }, ({ api, org }) =>
  newScene(api, org, { isDelivered: true }),
)

/** Prints the status instead of the body. */
const PREAMBLE = `curl() { command curl -s -o /dev/null -w '%{http_code}' "$@"; }\n`

async function run(source: string, { key, ids }: Scene): Promise<string> {
  const commands = ids.reduce((text, [pattern, id]) => text.replace(pattern, id), source)
  const { BASE, PATH } = { BASE: inject('urls').base, PATH: process.env['PATH'] }
  const env = { BASE, PATH, TOKEN: key.token, CLIENT_ID: key.clientId, CLIENT_SECRET: key.clientSecret }
  const { stdout } = await promisify(execFile)('bash', ['-euc', PREAMBLE + commands], { env })
  return stdout
}

test.skipIf(!hasProgram('curl')).for(samples.map((sample) => [sample.method, sample.path, sample] as const))(
  'the sample with curl of %s %s succeeds (needs curl)',
  async ([, , sample], { api, scene, newOrg }) => {
    const changes = sample.method !== 'get'
    const of = { absent: createdBy(sample), isDelivered: sample.path.includes('/deliveries/') }
    const place = changes ? await newScene(api, await newOrg(), of) : scene
    const bound = { scopes: ['scans:write'], reader_key: 'dock-1' } as const
    const key = sample.path.endsWith('/{reader_key}/messages') ? await place.org.key(bound) : place.key
    expect(await run(sample.source, { ...place, key })).toBe(sample.status)
  },
)

import { eventually } from '@whereabouts/testing/eventually'
import type { ErrorType } from '@whereabouts/contracts/errors'
import { describe, expect } from 'vitest'
import type { CallOptions } from './support/api.ts'
import { exhaust } from './support/buckets.ts'
import { test as base } from './support/fixtures.ts'
import type { Api } from './support/api.ts'
import type { Organization } from './support/organization.ts'
import { UNKNOWN_ID } from './support/rows.ts'

/** A flaw of the caller's credential. Without any, it is good. */
type Flaw = 'revoked' | 'exhausted' | 'scopeless'

/** Returns one key for each set of flaws. */
function flawedKeys(api: Api, org: Organization) {
  const made = new Map<string, Promise<string>>()
  async function make(flaws: ReadonlySet<Flaw>): Promise<string> {
    const key = await org.key(flaws.has('scopeless') ? { scopes: ['scans:write'] } : {})
    if (flaws.has('exhausted')) await exhaust(api, key.token)
    if (!flaws.has('revoked')) return key.token
    await api.call('revokeApiKey', { params: { org_id: org.id, key_id: key.id }, token: org.admin })
    await eventually(async () => expect((await api.call('getCurrentOrg', key)).status).toBe(401))
    return key.token
  }
  return {
    /** Empties the bucket of an exhausted key again, because its tokens come back with time. */
    async tokenWith(flaws: ReadonlySet<Flaw>): Promise<string> {
      const name = [...flaws].toSorted().join()
      const token = await (made.get(name) ?? made.set(name, make(flaws)).get(name))
      if (token === undefined) throw new Error('unreachable')
      if (flaws.has('exhausted') && !flaws.has('revoked')) await exhaust(api, token)
      return token
    },
  }
}

const test = base.extend('keys', { scope: 'file' }, ({ api, org }) => flawedKeys(api, org))

const TOO_LARGE = ' '.repeat(1024 * 1024 + 1)

/** One way in which `POST /orgs/{org_id}/api-keys` can be wrong: a step of D2 and its error. */
type Fault = {
  step: string
  type: ErrorType | 'web filter'
  flaw?: Flaw
  change?: CallOptions
  path?: string
}

/** In the order of D2. */
const faults: Fault[] = [
  { step: 'D2.1 web filter', type: 'web filter', change: { headers: { 'user-agent': 'axios/1' } } },
  { step: 'D2.3 unknown route', type: 'not_found', path: '/api/v1/nowhere' },
  { step: 'D2.3 wrong method', type: 'method_not_allowed', change: { method: 'PUT' } },
  { step: 'D2.4 credential', type: 'unauthorized', flaw: 'revoked' },
  { step: 'D2.5 rate limit', type: 'rate_limited', flaw: 'exhausted' },
  { step: 'D2.6 scope', type: 'forbidden', flaw: 'scopeless' },
  {
    step: 'D2.7 media type',
    type: 'unsupported_media_type',
    change: { headers: { 'content-type': 'text/plain' } },
  },
  { step: 'D2.7 size', type: 'payload_too_large', change: { body: TOO_LARGE } },
  { step: 'D2.8 path', type: 'validation_error', change: { params: { org_id: 'x' } } },
  { step: 'D2.8 query', type: 'validation_error', change: { query: { colour: 'red' } } },
  { step: 'D2.8 body', type: 'validation_error', change: { body: { name: '' } } },
]

const pairs = faults.flatMap((earlier, i) =>
  faults.slice(i + 1).map((later) => ({ name: `${earlier.step} before ${later.step}`, earlier, later })),
)

/** Both faults in one request. Where both change the same thing, the earlier one's change is sent. */
function combined({ earlier, later }: { earlier: Fault; later: Fault }, orgId: number): CallOptions {
  const headers = { ...later.change?.headers, ...earlier.change?.headers }
  const good = { params: { org_id: orgId }, body: { name: 'k', scopes: ['assets:read'] } }
  return { ...good, ...later.change, ...earlier.change, headers }
}

const DETAILS: Record<string, string> = {
  'D2.8 path': 'org_id must be an integer',
  'D2.8 query': 'unknown parameter "colour"',
  'D2.8 body': 'name must be at least 1 character',
}

describe('D2 the first failing step answers', () => {
  test.for(pairs)('$name', async ({ earlier, later }, { api, org, keys }) => {
    const sent = combined({ earlier, later }, org.id)
    const path = earlier.path ?? later.path
    const flaws = new Set([earlier.flaw, later.flaw].filter((flaw) => flaw !== undefined))
    const ask = async () => {
      const options = { ...sent, token: await keys.tokenWith(flaws) }
      if (path === undefined) return api.call('createApiKey', options)
      const { params: _, query: __, ...rest } = options
      return api.request(path, { method: 'POST', ...rest })
    }
    let reply = await ask()
    // A token may have come back since the bucket was emptied.
    if (earlier.type === 'rate_limited' && reply.status !== 429) reply = await ask()
    if (earlier.type === 'web filter') {
      expect(reply.status).toBe(403)
      expect(reply.headers.get('content-type')).toMatch(/^text\/plain/)
      return
    }
    expect(reply.body.error.type).toBe(earlier.type)
    if (earlier.type !== 'validation_error') return
    // Problems of different parts are not mixed: path, then query, then body.
    expect(reply.body.error.detail.startsWith(DETAILS[earlier.step] ?? '')).toBe(true)
    expect(new Set(reply.body.error.fields?.map(({ field }) => field)).size).toBe(1)
  })

  test('D2.1 web filter before D2.2 preflight', async ({ api }) => {
    const headers = { 'user-agent': 'axios/1' }
    const reply = await api.request('/api/v1/assets', { method: 'OPTIONS', headers })
    expect(reply.status).toBe(403)
  })

  test('D2.2 preflight before D2.3 unknown route and D2.4 credential', async ({ api }) => {
    const reply = await api.request('/api/v1/nowhere', { method: 'OPTIONS', token: 'x' })
    expect(reply.status).toBe(204)
  })
})

describe('D2 steps that need the stored rows', () => {
  const uniqueKey = () => `D2-${crypto.randomUUID()}`

  test('D2.8 body before D2.9 missing resource', async ({ api, token }) => {
    const params = { asset_id: UNKNOWN_ID }
    const reply = await api.call('addAssetTag', { params, token, body: {} })
    expect(reply.body.error.type).toBe('validation_error')
  })

  test('D2.8 query before D2.9 missing resource', async ({ api, token }) => {
    const params = { asset_id: UNKNOWN_ID }
    const reply = await api.call('listAssetHistory', { params, token, query: { limit: 0 } })
    expect(reply.body.error.type).toBe('validation_error')
  })

  test('D2.8 body before D2.10 foreign key', async ({ api, token }) => {
    const body = { name: '', parent_id: UNKNOWN_ID }
    const { error } = (await api.call('createLocation', { token, body })).body
    expect(error.fields?.map(({ field }) => field)).toEqual(['name'])
  })

  test('D2.8 body before D2.11 taken key', async ({ api, token }) => {
    const external_key = uniqueKey()
    await api.call('createAsset', { token, body: { name: 'a', external_key } })
    const reply = await api.call('createAsset', { token, body: { name: '', external_key } })
    expect(reply.body.error.type).toBe('validation_error')
  })

  test('D2.9 missing reader before D2.10 unresolved location', async ({ api, org }) => {
    const body = { name: 'north', location_id: UNKNOWN_ID }
    const params = { reader_id: UNKNOWN_ID }
    const reply = await api.call('createScanPoint', { params, token: org.admin, body })
    expect(reply.status).toBe(404)
  })

  test('D2.9 missing asset before D2.11 taken tag', async ({ api, token }) => {
    const tag = { tag_type: 'rfid', value: uniqueKey() }
    await api.call('createAsset', { token, body: { name: 'a', tags: [tag] } })
    const reply = await api.call('addAssetTag', { params: { asset_id: UNKNOWN_ID }, token, body: tag })
    expect(reply.status).toBe(404)
  })

  test('D2.10 foreign key before D2.11 taken key', async ({ api, token }) => {
    const external_key = uniqueKey()
    await api.call('createLocation', { token, body: { name: 'a', external_key } })
    const body = { name: 'b', external_key, parent_id: UNKNOWN_ID }
    const { error } = (await api.call('createLocation', { token, body })).body
    expect(error.fields).toMatchObject([{ field: 'parent_id', code: 'fk_not_found' }])
  })

  test('D2.10 unresolved location before D2.11 taken antenna', async ({ api, org }) => {
    const reader = { reader_key: uniqueKey(), name: 'r', format: 'canonical' }
    const { data } = (await api.call('createReader', { token: org.admin, body: reader })).body
    const call = { params: { reader_id: data.id ?? 0 }, token: org.admin }
    await api.call('createScanPoint', { ...call, body: { name: 'north' } })
    const body = { name: 'again', location_id: UNKNOWN_ID }
    const { error } = (await api.call('createScanPoint', { ...call, body })).body
    expect(error.fields).toMatchObject([{ field: 'location_id', code: 'fk_not_found' }])
  })
})

import { connect, NatsError, type NatsConnection } from 'nats'
import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, inject } from 'vitest'
import type { Api } from '../contract/support/api.ts'
import { newOrganization, succeed, type Key } from '../contract/support/organization.ts'
import { openRawNats, type RawNats } from './support/raw-nats.ts'
import { settled, test as base } from './support/walls.fixture.ts'

const MOST_KEYS = 200
const CONNECTIONS = 12
const FLOOD_MS = 5_000
/** Between two reads of the victim. */
const PAUSE_MS = 100

type Login = Pick<Key, 'clientId' | 'clientSecret'>

/** Creates keys until the organization has all that it may have. */
async function allKeys(api: Api, org: { id: number; admin: string }): Promise<Login[]> {
  const body = { name: 'free', scopes: ['scans:write'] }
  const create = async (): Promise<Login> => {
    const call = { params: { org_id: org.id }, token: org.admin, body }
    const { client_id, client_secret } = (await succeed(api.call('createApiKey', call))).body.data
    return { clientId: client_id, clientSecret: client_secret }
  }
  return Promise.all(Array.from({ length: MOST_KEYS }, create))
}

const test = base.extend('flooder', { scope: 'file' }, async ({ api }) => {
  const org = await newOrganization(api)
  return { ...org, keys: await allKeys(api, org) }
})

/** Publishes tiny messages that are no scans, as fast as the broker reads, until it ends the connection or time is up. */
async function flood(raw: RawNats, subject: string, until: number): Promise<number> {
  const batch = Array.from({ length: 500 }, () => ({ subject, payload: '{"reads":[]}' }))
  let sent = 0
  try {
    while (performance.now() < until) {
      raw.publish(...batch)
      sent += batch.length
      await raw.flush()
    }
  } catch {
    // The broker ended the connection.
  }
  return sent
}

/** While the queue of the stream is full, the broker refuses: then a reader that asks for answers sends it again. */
async function publishUntilStored(nc: NatsConnection, subject: string, payload: object): Promise<void> {
  try {
    await nc.jetstream().publish(subject, JSON.stringify(payload))
  } catch (error) {
    if (!(error instanceof NatsError) || error.api_error?.code !== 429) throw error
    await delay(PAUSE_MS)
    await publishUntilStored(nc, subject, payload)
  }
}

describe('F3 many free keys', () => {
  test('F3 the keys that flood are suspended, and no scan of another organization is lost', async ({
    api,
    victim,
    flooder,
    watcher,
    rows,
  }) => {
    const flooding = flooder.keys.slice(0, CONNECTIONS)
    const { nats: servers } = inject('urls')
    const { clientId: user, clientSecret: pass } = victim.readerKey
    const theirs = await connect({ servers, user, pass, reconnect: false })
    const mine = await Promise.all(flooding.map((key) => openRawNats(servers, key)))
    const mark = `F3${randomBytes(4).toString('hex').toUpperCase()}`

    const published = new Map<string, number>()
    const seenAfter = new Map<string, number>()
    const look = async () => {
      const query = { q: mark, limit: 200 }
      const found = await api.call('listUnknownTags', { token: victim.org.admin, query })
      const now = performance.now()
      expect(found.status).toBe(200)
      for (const { value } of found.body.data)
        if (!seenAfter.has(value)) seenAfter.set(value, now - (published.get(value) ?? now))
      return published.size - seenAfter.size
    }

    const until = performance.now() + FLOOD_MS
    const floods = mine.map((raw) => flood(raw, `scans.${flooder.id}.flood.canonical`, until))
    while (performance.now() < until) {
      const value = `${mark}${published.size}`
      published.set(value, performance.now())
      const reads = [{ tag: { type: 'barcode', value }, antenna: 1 }]
      await publishUntilStored(theirs, `scans.${victim.org.id}.many-keys.canonical`, { reads })
      await look()
      await delay(PAUSE_MS)
    }
    const sent = (await Promise.all(floods)).reduce((sum, one) => sum + one, 0)
    await expect.poll(look, { timeout: 20_000, interval: 50 }).toBe(0)
    const longest = Math.max(...seenAfter.values())
    console.log(
      `walls: ${published.size} scans beside ${sent} messages of ${CONNECTIONS} of ${MOST_KEYS} keys, the longest delay ${Math.round(longest)} ms`,
    )
    expect(published.size).toBeGreaterThan(0)
    await Promise.all(
      flooding.map((key) => expect(openRawNats(servers, key)).rejects.toThrow(/authorization/i)),
    )
    expect(theirs.isClosed()).toBe(false)
    await theirs.close()
    for (const raw of mine) raw.close()
    await settled(watcher, rows)
  })
})

describe('D17.6 keys without end', () => {
  test('D17.6 the 201st live key is refused', async ({ api, flooder }) => {
    const body = { name: 'one more', scopes: ['scans:write'] }
    const call = { params: { org_id: flooder.id }, token: flooder.admin, body }
    expect((await api.call('createApiKey', call)).status).toBe(409)
  })
})

describe('D17.6 a stolen key that makes keys', () => {
  test('D17.6 a revocation with descendants ends the keys that it made, and theirs', async ({
    api,
    newOrg,
  }) => {
    const org = await newOrg()
    const stolen = await org.key({ scopes: ['keys:admin'] })
    const makeWith = async (token: string) => {
      const body = { name: 'left behind', scopes: ['keys:admin', 'assets:read'] }
      const { client_id, client_secret } = (
        await succeed(api.call('createApiKey', { params: { org_id: org.id }, token, body }))
      ).body.data
      return { grant_type: 'client_credentials', client_id, client_secret }
    }
    const exchange = (body: object) => api.call('createToken', { body })
    const child = await makeWith(stolen.token)
    const { access_token } = (await succeed(exchange(child))).body
    const grandchild = await makeWith(access_token)
    expect((await exchange(grandchild)).status).toBe(200)

    const params = { org_id: org.id, key_id: stolen.id }
    const revoked = await api.call('revokeApiKey', {
      params,
      token: org.admin,
      query: { descendants: true },
    })
    expect(revoked.status).toBe(204)
    expect((await exchange(child)).status).toBe(401)
    expect((await exchange(grandchild)).status).toBe(401)
    const asked = async () => (await api.call('listAssets', { token: access_token })).status
    await expect.poll(asked, { timeout: 1_000, interval: 50 }).toBe(401)
  })
})

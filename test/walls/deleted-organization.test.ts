import { expect, inject } from 'vitest'
import { fromNewAddress } from '../system/addresses.ts'
import { newWorld } from '../contract/support/world.ts'
import { openRawNats } from './support/raw-nats.ts'
import { settled, test } from './support/walls.fixture.ts'

const WITHIN_A_SECOND = { timeout: 1_000, interval: 50 }
/** Erasing begins with the deletion, and waits half a minute for requests that were under way. */
const UNTIL_ERASED = { timeout: 120_000, interval: 1_000 }

test('D15.3 a deleted organization is refused within a second and leaves no row and no state; another one is unchanged', async ({
  api,
  rows,
  watcher,
  victim,
}) => {
  const { org, key, readerKey } = await newWorld(api)
  const orgId = org.id
  const full = await rows.of(orgId)
  expect(left(full).length).toBeGreaterThan(15)
  await settled(watcher, rows)
  const others = await rows.of(victim.org.id)
  expect(left(others).length).toBeGreaterThan(15)

  const reader = await openRawNats(inject('urls').nats, readerKey)
  const deletion = { params: { org_id: orgId }, token: org.admin, body: { name: org.name } }
  expect((await api.call('deleteOrg', deletion)).status).toBe(202)
  const statuses = async () =>
    Promise.all([org.admin, key.token].map(async (token) => (await api.call('listAssets', { token })).status))
  await expect.poll(statuses, WITHIN_A_SECOND).toEqual([401, 401])
  await reader.closed
  await expect(openRawNats(inject('urls').nats, readerKey)).rejects.toThrow()
  const login = { body: { email: org.email, password: org.password }, headers: fromNewAddress() }
  expect((await api.call('logIn', login)).status).toBe(401)

  await expect.poll(async () => left(await rows.of(orgId)), UNTIL_ERASED).toEqual([])
  await settled(watcher, rows)
  expect(left(await rows.of(orgId))).toEqual([])
  const jsm = await watcher.app.jetstreamManager()
  for (const stream of ['CATALOG', 'KEYS', 'DEAD']) {
    const { subjects } = await watcher.stream(stream)
    const own = Object.keys(subjects).filter((subject) => subject.split('.').includes(String(orgId)))
    const lasting: string[] = []
    for (const subject of own) {
      const { header } = await jsm.streams.getMessage(stream, { last_by_subj: subject })
      if (header.get('Nats-TTL') === '') lasting.push(subject)
    }
    expect(lasting).toEqual(stream === 'KEYS' ? [`keys.org.${orgId}`] : [])
  }
  expect(await rows.of(victim.org.id)).toEqual(others)
}, 180_000)

/** The tables that still have rows. */
const left = (found: Record<string, string[]>) =>
  Object.entries(found).flatMap(([table, some]) => (some.length > 0 ? [`${table}: ${some.length}`] : []))

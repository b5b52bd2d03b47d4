import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Api } from '../contract/support/api.ts'
import { newOrganization, succeed } from '../contract/support/organization.ts'
import { beside, usualRequests } from './support/beside.ts'
import { settled, test } from './support/walls.fixture.ts'

const READERS = 60
const CHANGES_AT_ONCE = 12
const LISTS_AT_ONCE = 6
const CHANGING_MS = 4_000
const LISTING_MS = 3_000

const PART = { reads: '/r', tag: '/e', tag_type: 'rfid', event: '/v' }
/** 50 names of events, of this many characters of three bytes. */
const names = (length: number) => Array.from({ length: 50 }, (_, n) => String(n).padEnd(length, 'あ'))
const LARGEST = { ...PART, read_events: names(106) }

const reader = (n: number, mapping: object) => ({
  reader_key: `large-${n}`,
  name: 'Large',
  format: 'mapping',
  mapping,
})

/** `width` loops at once until `isOver`. Resolves with the number of answers. */
async function repeat(
  width: number,
  isOver: () => boolean,
  request: (n: number) => Promise<{ status: number }>,
) {
  let answers = 0
  const loop = async (n: number) => {
    while (!isOver()) {
      const { status } = await request(n)
      expect([200, 429]).toContain(status) // a fast machine uses up what the user may send
      if (status === 200) answers += 1
    }
  }
  await Promise.all(Array.from({ length: width }, (_, n) => loop(n)))
  return answers
}

const after = (ms: number) => {
  const end = AbortSignal.timeout(ms)
  return () => end.aborted
}

async function attack(api: Api, token: string, ids: readonly number[], isServed: () => boolean) {
  const changes = await repeat(CHANGES_AT_ONCE, after(CHANGING_MS), (n) =>
    api.call('updateReader', {
      token,
      params: { reader_id: ids[n] ?? 0 },
      body: { name: `Large ${Math.random()}` },
    }),
  )
  const isListed = after(LISTING_MS)
  const isOver = () => isListed() && isServed()
  const lists = await repeat(LISTS_AT_ONCE, isOver, async () => {
    await delay(20) // a user may send 1 200 requests at once
    return api.call('listReaders', { token, query: { limit: 200 } })
  })
  return { changes, lists }
}

test('N3 changes and lists of readers with the largest mappings delay nobody', async ({
  api,
  victim,
  watcher,
  rows,
}) => {
  const { admin: token } = await newOrganization(api)
  const five = { ...PART, read_events: names(255), heartbeat_events: names(254) }
  const beyond = { ...five, also: [five, five, five, five] }
  expect((await api.call('createReader', { token, body: reader(0, beyond) })).status).toBe(400)

  const ids: number[] = []
  for (let n = 0; n < READERS; n += 1) {
    const created = await succeed(api.call('createReader', { token, body: reader(n, LARGEST) }))
    ids.push(created.body.data.id ?? 0)
  }
  await settled(watcher, rows)
  const { admin } = victim.org
  const [asset, location] = await Promise.all([
    succeed(api.call('createAsset', { token: admin, body: { name: 'Saved', external_key: 'SAVED' } })),
    succeed(api.call('createLocation', { token: admin, body: { name: 'Dock', external_key: 'N3-DOCK' } })),
  ])
  const body = {
    asset_identifiers: [asset.body.data.external_key],
    location_identifier: location.body.data.external_key,
  }
  const requests = [...(await usualRequests(api)), () => api.call('saveInventory', { token: admin, body })]
  const done = await beside('large mappings', requests, (isServed) => attack(api, token, ids, isServed))
  console.log(`walls: ${done.changes} changes of readers, ${done.lists} lists of ${READERS} readers`)
  expect(done.changes).toBeGreaterThan(CHANGES_AT_ONCE)
  const list = await api.call('listReaders', { token, query: { limit: 200 } })
  expect(JSON.stringify(list.body)).not.toContain('あ')
})

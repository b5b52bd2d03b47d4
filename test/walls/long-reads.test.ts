import { describe, expect, inject } from 'vitest'
import type { Api } from '../contract/support/api.ts'
import { finishedImport } from '../contract/support/imports.ts'
import { newOrganization } from '../contract/support/organization.ts'
import { connectReader } from '../system/readers.ts'
import { beside, usualRequests } from './support/beside.ts'
import { readAgain } from './support/read-again.ts'
import { test } from './support/walls.fixture.ts'

const MINUTE_MS = 60_000
const ASSETS = 250
/** Movements of each asset, a minute apart: 20 000 in all. */
const MOVES = 80
const AT_ONCE = 30
const MOST = 300

type Answer = { data: { moves?: { seconds: unknown[] }; locations: { arrivals: number }[] } }

const tagOf = (asset: number) => `E280${String(asset).padStart(4, '0')}`

/** An organization whose assets have moved to and fro for more than an hour. */
async function newMovingOrganization(api: Api) {
  const org = await newOrganization(api)
  const rows = Array.from({ length: ASSETS }, (_, i) => `M${i},Cart ${i},${tagOf(i)}`)
  await finishedImport(api, org.admin, 'assets', ['external_key,name,rfid', ...rows].join('\n'))
  await finishedImport(api, org.admin, 'locations', 'external_key,name\nHERE,Here\nTHERE,There')
  const key = await org.key({ scopes: ['scans:write'] })
  const reader = await connectReader({ urls: inject('urls') }, key, 'nats')
  const begun = Date.now() - (MOVES + 5) * MINUTE_MS
  for (let move = 0; move < MOVES; move += 1) {
    const read_at = new Date(begun + move * MINUTE_MS).toISOString()
    const location = move % 2 === 0 ? 'HERE' : 'THERE'
    const reads = Array.from({ length: ASSETS }, (_, i) => ({
      tag: { type: 'rfid', value: tagOf(i) },
      location,
      read_at,
    }))
    await reader.publish(org.id, 'to-and-fro', 'canonical', Buffer.from(JSON.stringify({ reads })))
  }
  await reader.close()
  return { token: org.admin, from: new Date(begun - MINUTE_MS).toISOString() }
}

describe('F5 reads of a long past of one organization', () => {
  test.for(['playback', 'by-location'])(
    'F5 another organization is answered while one reads %s',
    async (route, { api }) => {
      const { token, from } = await newMovingOrganization(api)
      const to = new Date().toISOString()
      const query = new URLSearchParams({ from, to })
      const url = `${inject('urls').base}/api/v1/movements/${route}?${query.toString()}`
      const headers = { authorization: `Bearer ${token}`, 'user-agent': 'walls/1' }
      const stored = async () => {
        const { data } = (await (await fetch(url, { headers })).json()) as Answer
        return data.moves?.seconds.length ?? data.locations[0]?.arrivals
      }
      const all = route === 'playback' ? ASSETS * MOVES : (ASSETS * MOVES) / 2
      await expect.poll(stored, { timeout: 90_000, interval: 500 }).toBe(all)
      const job = { urls: Array.from({ length: AT_ONCE }, () => url), headers, most: MOST }
      const counts = await beside(route, await usualRequests(api), () => readAgain(job))
      console.log(`walls: answers to ${route}: ${JSON.stringify(counts)}`)
      expect(counts[200]).toBeGreaterThan(0)
    },
  )
})

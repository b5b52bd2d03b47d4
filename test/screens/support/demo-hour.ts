import { createClient, exchangeKey, unwrap } from '@whereabouts/client/client'
import type { Demo } from '@whereabouts/deploy/workshop/demo/demo-file'
import { warehousePlan } from '@whereabouts/deploy/workshop/demo/warehouse'
import { createProblems } from '@whereabouts/deploy/workshop/demo/simulator/problems'
import { seededRandom } from '@whereabouts/deploy/workshop/demo/simulator/random'
import { openReaders } from '@whereabouts/deploy/workshop/demo/simulator/readers'
import { createRooms } from '@whereabouts/deploy/workshop/demo/simulator/rooms'
import { createScene } from '@whereabouts/deploy/workshop/demo/simulator/scene'
import { expect } from 'vitest'

const MINUTE_MS = 60_000
const MINUTES = 60
/** In a minute. Every asset is seen. */
const EVENTS = { moves: 60, reads: 500 }

/**
 * The last hour of the simulated warehouse at once, as devices that were offline send it. Resolves when the newest
 * minute of it is in the report. Returns a client of the demo's integrator.
 */
export async function liveThroughAnHour(demo: Demo) {
  const problems: string[] = []
  const plan = warehousePlan()
  const readers = openReaders({ demo, plan, problems: createProblems((text) => problems.push(text)) })
  await Promise.all(readers.map(({ link }) => link.tried))
  const scene = createScene(plan, seededRandom(1))
  const rooms = createRooms(plan, seededRandom(2))
  const end = Date.now()
  for (let minute = MINUTES - 1; minute >= 0; minute -= 1) {
    const now = new Date(end - minute * MINUTE_MS)
    const seen = new Map([...scene.advance({ now, ...EVENTS }), ...rooms.advance(now)])
    for (const reader of readers) reader.show(seen.get(reader.key) ?? [], now)
  }
  for (const reader of readers) reader.heartbeat(new Date())
  const integrator = await integratorOf(demo)
  const countRecent = async () => {
    const query = { limit: 200 } // last seen first
    const { data } = unwrap(await integrator.GET('/api/v1/reports/asset-locations', { params: { query } }))
    return data.filter(({ asset_last_seen: at }) => Date.parse(at) > end - MINUTE_MS / 2).length
  }
  await expect.poll(countRecent, { timeout: 60_000 }).toBe(200)
  await Promise.all(readers.map(({ link }) => link.stop()))
  expect(problems).toEqual([])
  return integrator
}

async function integratorOf({ base_url: baseUrl, api_key: key }: Demo) {
  const login = { clientId: key.client_id, clientSecret: key.client_secret }
  const { access_token: token } = await exchangeKey(createClient({ baseUrl }), login)
  return createClient({ baseUrl, token })
}

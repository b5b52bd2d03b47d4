import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startReader, type Reader } from '../system/fleet.ts'
import { mintKey, newOrganization, type ApiKey, type Organization } from '../system/organization.ts'
import { startSystem, type System } from '../system/system.ts'

const READERS = 1_000
const KEYS = 10
/** From the moment the broker is back until the last reader is logged in. */
const BOUND_MS = 30_000

let system: System
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())

/** Half over NATS, half over MQTT; a hundred logins at a time, as a site is put into service. */
async function startFleet(keys: readonly ApiKey[]): Promise<Reader[]> {
  const fleet: Reader[] = []
  while (fleet.length < READERS) {
    const wave = Array.from({ length: 100 }, (_, i) => {
      const n = fleet.length + i
      const key = keys[n % KEYS]!
      return startReader(n % 2 < 1 ? 'nats' : 'mqtt', { urls: system.stack.urls, key, name: `reader-${n}` })
    })
    fleet.push(...(await Promise.all(wave)))
  }
  return fleet
}

/** Asks the API again and again until stopped; resolves with what was not answered as it should be. */
function keepAsking(org: Organization) {
  const ended = new AbortController()
  const failures: string[] = []
  let asked = 0
  const run = async () => {
    while (!ended.signal.aborted) {
      const begun = performance.now()
      const answers = await Promise.all([
        org.integrator.GET('/api/v1/orgs/me'),
        org.admin.GET('/api/v1/readers'),
      ])
      asked += answers.length
      for (const { response } of answers) if (!response.ok) failures.push(`${response.url}: ${response.status}`)
      const tookMs = performance.now() - begun
      if (tookMs > 5_000) failures.push(`${Math.round(tookMs)} ms`)
      await delay(100)
    }
  }
  const running = run()
  return async () => {
    ended.abort()
    await running
    return { asked, failures }
  }
}

test('a thousand readers are back soon after the broker crashed, and a key revoked meanwhile stays out', {
  timeout: 180_000,
}, async () => {
  const org = await newOrganization(system.stack, 'storm')
  const keys = await Promise.all(
    Array.from({ length: KEYS }, (_, i) => mintKey(org.admin, org.id, `site ${i}`, ['scans:write'])),
  )
  const revoked = keys[0]!
  const fleet = await startFleet(keys)
  const good = fleet.filter(({ key }) => key !== revoked)
  const bad = fleet.filter(({ key }) => key === revoked)
  const refusedBefore = good.reduce((sum, { refusals }) => sum + refusals, 0)
  const stopAsking = keepAsking(org)

  await system.stack.broker.restart('SIGKILL')
  const backAt = performance.now()
  const revocation = await org.admin.DELETE('/api/v1/orgs/{org_id}/api-keys/{key_id}', {
    params: { path: { org_id: org.id, key_id: revoked.clientId } },
  })
  expect(revocation.response.status).toBe(204)

  const connected = (readers: readonly Reader[]) => readers.filter(({ isConnected }) => isConnected).length
  await expect.poll(() => connected(good), { timeout: BOUND_MS, interval: 50 }).toBe(good.length)
  const tookMs = Math.round(performance.now() - backAt)
  const refusals = good.reduce((sum, reader) => sum + reader.refusals, 0) - refusedBefore
  console.log(`${good.length} readers were back after ${tookMs} ms, ${refusals} logins were refused`)

  // Whoever was let in an instant before the revocation is out again after the second round of disconnects.
  await expect.poll(() => connected(bad), { timeout: 15_000 }).toBe(0)
  await delay(3_000) // in which each of them tries again
  expect(connected(bad)).toBe(0)
  expect(connected(good)).toBe(good.length)
  const { asked, failures } = await stopAsking()
  expect(failures).toEqual([])
  expect(asked).toBeGreaterThan(20)
  await Promise.all(fleet.map((reader) => reader.close()))
})

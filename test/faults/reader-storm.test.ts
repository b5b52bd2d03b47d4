import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startReader, type Reader } from '../system/fleet.ts'
import { mintKey, newOrganization, type ApiKey, type Organization } from '../system/organization.ts'
import { startSystem, type System } from '../system/system.ts'

const READERS = 1_000
const KEYS = 10
/** From the moment the broker is back until the last reader is logged in. */
const BOUND_MS = 30_000
const SLOW_MS = 5_000

let system: System
beforeAll(async () => {
  system = await startSystem()
})
afterAll(() => system.stop())

/** Half over NATS, half over MQTT; a hundred logins at a time, like a site that starts. */
async function startFleet(keys: readonly ApiKey[]): Promise<Reader[]> {
  const fleet: Reader[] = []
  while (fleet.length < READERS) {
    const wave = Array.from({ length: 100 }, (_, i) => {
      const n = fleet.length + i
      const key = keys[n % KEYS] ?? { clientId: '', clientSecret: '' }
      return startReader(n % 20 < 10 ? 'nats' : 'mqtt', { urls: system.stack.urls, key, name: `reader-${n}` })
    })
    fleet.push(...(await Promise.all(wave)))
  }
  return fleet
}

/** Calls the API repeatedly until stopped. Resolves with the unexpected replies. */
function keepCalling(org: Organization) {
  const ended = new AbortController()
  const failures: string[] = []
  let sent = 0
  async function ask(): Promise<void> {
    const begun = performance.now()
    const replies = await Promise.all([
      org.integrator.GET('/api/v1/orgs/me'),
      org.admin.GET('/api/v1/readers'),
    ])
    sent += replies.length
    for (const { response } of replies) if (!response.ok) failures.push(`${response.url}: ${response.status}`)
    const tookMs = Math.round(performance.now() - begun)
    if (tookMs > SLOW_MS) failures.push(`${tookMs} ms`)
  }
  async function run(): Promise<void> {
    while (!ended.signal.aborted) {
      await ask().catch((error: unknown) => failures.push(String(error)))
      await delay(100)
    }
  }
  const running = run()
  return async () => {
    ended.abort()
    await running
    return { sent, failures }
  }
}

const connected = (readers: readonly Reader[]) => readers.filter(({ isConnected }) => isConnected).length

test(
  'a thousand readers reconnect soon after the broker crashed, and a key revoked meanwhile stays refused',
  { timeout: 180_000 },
  async () => {
    const org = await newOrganization(system.stack, 'storm')
    const keys = await Promise.all(
      Array.from({ length: KEYS }, (_, i) => mintKey(org.admin, org.id, `site ${i}`, ['scans:write'])),
    )
    const [revoked] = keys
    const fleet = await startFleet(keys)
    const good = fleet.filter(({ key }) => key !== revoked)
    const bad = fleet.filter(({ key }) => key === revoked)
    const refusedBefore = new Map(good.map((reader) => [reader, reader.refusals]))
    const stopCalling = keepCalling(org)
    try {
      await system.stack.broker.restart('SIGKILL')
      const backAt = performance.now()
      const key_id = revoked?.clientId ?? ''
      const path = { org_id: org.id, key_id }
      const revocation = await org.admin.DELETE('/api/v1/orgs/{org_id}/api-keys/{key_id}', {
        params: { path },
      })
      expect(revocation.response.status).toBe(204)

      await expect.poll(() => connected(good), { timeout: BOUND_MS, interval: 20 }).toBe(good.length)
      const tookMs = Math.round(performance.now() - backAt)
      const refusals = good.map((reader) => reader.refusals - (refusedBefore.get(reader) ?? 0))
      const refused = refusals.filter((count) => count > 0).length
      console.log(`${good.length} readers were back after ${tookMs} ms; ${refused} had to log in twice`)
      // Once at most, if it connects before the callout service does: then the broker gets no decision.
      expect(Math.max(...refusals)).toBeLessThanOrEqual(1)

      // The second round of disconnects also ends readers that logged in just before the revocation.
      await expect.poll(() => connected(bad), { timeout: 15_000 }).toBe(0)
      const attempts = () => bad.reduce((sum, reader) => sum + reader.refusals, 0)
      const enough = attempts() + 2 * bad.length
      await expect.poll(attempts, { timeout: 20_000 }).toBeGreaterThan(enough)
      expect(connected(bad)).toBe(0)
      expect(connected(good)).toBe(good.length)
    } finally {
      const { sent, failures } = await stopCalling()
      await Promise.all(fleet.map((reader) => reader.close()))
      expect(failures).toEqual([])
      expect(sent).toBeGreaterThan(20)
    }
  },
)

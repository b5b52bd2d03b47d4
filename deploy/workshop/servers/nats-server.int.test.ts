import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { applyBrokerTopology } from '../../installation/broker-topology.ts'
import { generateSecrets } from '../../installation/secrets.ts'
import { findNatsServer } from '../downloads/nats-binary.ts'
import { freeBytes } from './broker-storage.ts'
import { type NatsServer, startNatsServer } from './nats-server.ts'

const cacheDir = resolve(import.meta.dirname, '../../../.cache/nats-server')
const running: NatsServer[] = []
const secrets = generateSecrets().nats
let dataDir: string

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'nats test-')) // with a space: paths of users have them
})

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()))
  rmSync(dataDir, { recursive: true, force: true })
})

async function start(): Promise<NatsServer & { notes: string[] }> {
  const notes: string[] = []
  const binary = await findNatsServer({ cacheDir })
  const server = await startNatsServer({ binary, dataDir, secrets, onNote: (note) => notes.push(note) })
  running.push(server)
  return Object.assign(server, { notes })
}

test('a leftover broker on the same data is stopped first', async () => {
  const leftover = await start()
  const next = await start()
  expect(next.notes).toEqual([`stopped nats-server left over from a killed run (pid ${leftover.pid})`])
  expect((await fetch(`${next.monitorUrl}/healthz`)).status).toBe(200)
  await expect(fetch(`${leftover.monitorUrl}/healthz`)).rejects.toThrow('fetch failed')
})

test('the broker notices within half a minute that a machine disappeared', async () => {
  const { monitorUrl } = await start()
  const settings = await (await fetch(`${monitorUrl}/varz`)).json()
  expect(settings).toMatchObject({ ping_interval: 10_000_000_000, ping_max: 2 })
})

test('after a restart the broker may use what its streams may grow to, and three quarters of the room beyond', async () => {
  const first = await start()
  const room = freeBytes(dataDir)
  const wanted = Math.floor(room * 0.2)
  const mostOf = async ({ monitorUrl }: NatsServer) => {
    const reply = await (await fetch(`${monitorUrl}/jsz`)).json()
    return (reply as { config: { max_storage: number } }).config.max_storage / room
  }
  expect(await mostOf(first)).toBeCloseTo(0.75, 1)
  const login = { url: first.url, user: 'services', password: secrets.services_password }
  await applyBrokerTopology(login, { scansMaxBytes: wanted })
  await first.stop()
  for (let restarts = 0; restarts < 3; restarts += 1) {
    const next = await start()
    // Three streams may grow to `wanted`. Their files are nearly empty, so the files alone would say 0.75 again.
    expect(await mostOf(next)).toBeCloseTo(0.6 + 0.75 * 0.4, 1)
    await applyBrokerTopology({ ...login, url: next.url }, { scansMaxBytes: wanted })
    await next.stop()
  }
})

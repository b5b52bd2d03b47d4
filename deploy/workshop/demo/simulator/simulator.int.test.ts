import { eventually } from '@whereabouts/testing/eventually'
import { serveLogins, type Login } from '@whereabouts/messaging/readers/callout'
import { connect } from '@whereabouts/messaging/connect/connection'
import { readerGrant } from '@whereabouts/testing/broker/reader-grant'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test as base, vi } from 'vitest'
import { applyBrokerTopology } from '../../../installation/broker-topology.ts'
import type { Demo } from '../demo-file.ts'
import { generateSecrets } from '../../../installation/secrets.ts'
import { findNatsServer } from '../../downloads/nats-binary.ts'
import { type NatsServer, startNatsServer } from '../../servers/nats-server.ts'
import { ROOT } from '../../../installation/services.ts'
import { startSimulator } from './simulator.ts'
import { startSimulatorProcess } from './simulator-process.ts'

const ORG = 7
const READER_KEY = { client_id: 'reader-key', client_secret: 'its-secret' }
const quiet = { debug() {}, info() {}, warn() {}, error() {} }

type Site = {
  server: NatsServer
  demo: Demo
  dataDir: string
  /** Whether a login is accepted; by default every login with the right secret. */
  logins: { areOpen: boolean }
}

/** A broker with the product's streams, and a callout that knows one reader key. */
const test = base.extend<{ site: Site }>({
  // oxlint requires the destructuring that vitest reads the dependencies of a fixture from.
  site: async ({}, use) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'simulator-'))
    const secrets = generateSecrets().nats
    const binary = await findNatsServer({ cacheDir: join(ROOT, '.cache/nats-server') })
    const server = await startNatsServer({ binary, dataDir, secrets })
    await applyBrokerTopology({ url: server.url, user: 'services', password: secrets.services_password })
    const calloutLogin = { user: 'callout', password: secrets.callout_password }
    const callout = await connect({ url: server.url, ...calloutLogin, name: 'test', logger: quiet })
    const logins = { areOpen: true }
    const seeds = { issuerSeed: secrets.callout_issuer_seed, xkeySeed: secrets.callout_xkey_seed }
    serveLogins(callout, seeds, async (login) => grantFor(login, logins.areOpen), quiet)
    await use({ server, logins, dataDir, demo: demoAt(server) })
    await callout.close()
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  },
})

function grantFor(login: Login, areOpen: boolean) {
  const isKnown = login.user === READER_KEY.client_id && login.password === READER_KEY.client_secret
  return areOpen && isKnown ? readerGrant(login, ORG) : undefined
}

const demoAt = ({ url, mqttUrl }: NatsServer): Demo => ({
  base_url: 'http://127.0.0.1:1',
  nats_url: url,
  mqtt_url: mqttUrl,
  mail_url: 'http://127.0.0.1:1',
  org_id: ORG,
  admin: { email: 'a@b.example', password: 'unused' },
  api_key: { client_id: 'unused', client_secret: 'unused' },
  reader_key: READER_KEY,
})

type StreamState = { messages: number; num_subjects: number }

/** Messages of the readers in the broker. */
async function scans({ monitorUrl }: NatsServer): Promise<StreamState> {
  const response = await fetch(`${monitorUrl}/jsz?accounts=true&streams=true`)
  const { account_details: accounts }: { account_details: Account[] } = JSON.parse(await response.text())
  const streams = accounts.flatMap((account) => account.stream_detail)
  return streams.find(({ name }) => name === 'SCANS')?.state ?? { messages: 0, num_subjects: 0 }
}
type Account = { stream_detail: { name: string; state: StreamState }[] }

test('nine readers publish over MQTT and NATS, and every message is stored', async ({ site }) => {
  const problems: string[] = []
  const onProblem = (text: string) => problems.push(text)
  const simulator = await startSimulator({ demo: site.demo, onProblem, readsPerSecond: 200 })
  expect(simulator.stats().readersConnected).toBe(9)
  await vi.waitFor(() => expect(simulator.stats().reads).toBeGreaterThan(300), { timeout: 10_000 })
  await simulator.stop()
  const { messages } = simulator.stats()
  await eventually(async () => expect((await scans(site.server)).messages).toBeGreaterThanOrEqual(messages))
  expect((await scans(site.server)).num_subjects).toBe(9)
  expect(simulator.stats()).toMatchObject({ lost: 0, readersConnected: 0 })
  expect(problems).toEqual([])
})

test('a refused reader key is reported once per transport, and readers log in when it is accepted', async ({
  site,
}) => {
  site.logins.areOpen = false
  const onProblem = vi.fn<(text: string) => void>()
  const simulator = await startSimulator({ demo: site.demo, onProblem })
  expect(onProblem.mock.calls.flat().toSorted()).toEqual([
    expect.stringMatching(/over MQTT: the broker refused the login of reader-key .*revoked/),
    expect.stringMatching(/over NATS: the broker refused the login of reader-key.*revoked/),
  ])
  site.logins.areOpen = true
  await vi.waitFor(() => expect(simulator.stats().readersConnected).toBe(9), { timeout: 10_000 })
  expect(onProblem).toHaveBeenCalledTimes(2)
  await simulator.stop()
})

test('as a separate process it publishes, reports problems and stops on request', async ({ site }) => {
  const demoFile = join(site.dataDir, 'demo.json')
  writeFileSync(demoFile, JSON.stringify(site.demo))
  const onProblem = vi.fn<(text: string) => void>()
  const simulator = await startSimulatorProcess({ demoFile, onProblem })
  await vi.waitFor(async () => expect((await scans(site.server)).messages).toBeGreaterThan(20), {
    timeout: 10_000,
  })
  await simulator.stop()
  expect(() => process.kill(simulator.pid ?? 0, 0)).toThrow('ESRCH')
  expect(onProblem).not.toHaveBeenCalled()
})

test('a process without its file names the file, and the start continues', async ({ site }) => {
  const onProblem = vi.fn<(text: string) => void>()
  const demoFile = join(site.dataDir, 'nowhere.json')
  const simulator = await startSimulatorProcess({ demoFile, onProblem })
  await eventually(() => expect(onProblem).toHaveBeenCalledWith(expect.stringContaining(demoFile)))
  await simulator.stop()
})

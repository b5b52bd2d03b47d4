import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { applyBrokerTopology } from '@whereabouts/deploy/local/broker-topology'
import { generateSecrets } from '@whereabouts/deploy/local/secrets'
import { findNatsServer } from '@whereabouts/deploy/local/servers/nats-binary'
import { startNatsCluster } from '@whereabouts/deploy/local/servers/nats-cluster'
import { startNatsServer } from '@whereabouts/deploy/local/servers/nats-server'
import { makeCertificate } from '@whereabouts/testing/certificates'
import { connect, type NatsConnection } from 'nats'
import { table } from '../load/figures.ts'

export const CLUSTER_HELP = `pnpm bench cluster [flags]    messages a broker acknowledges: one broker beside three that share the stream

  --messages N      in each of three rounds, 1000 to 1000000          default 20000
`

const CACHE = resolve(import.meta.dirname, '../../../.cache/nats-server')
const ROUNDS = 3
/** Published and not yet acknowledged: of readers there are many. */
const UNDER_WAY = 256
/** A reader's message with a handful of reads. */
const BYTES = Buffer.alloc(512, 'x')

type Brokers = { name: string; nc: NatsConnection; stop(): Promise<void> }

/** Measures both in turns and prints; there is no target. */
export async function benchCluster(args: string[], say: (text: string) => void): Promise<boolean> {
  const { values } = parseArgs({ args, options: { messages: { type: 'string', default: '20000' } } })
  const messages = Number(values.messages)
  if (!(Number.isInteger(messages) && messages >= 1_000 && messages <= 1_000_000))
    throw new Error('--messages is 1000 to 1000000')
  const folder = mkdtempSync(join(tmpdir(), 'whereabouts-bench-'))
  const started: Brokers[] = []
  try {
    started.push(await oneBroker(join(folder, 'one')), await threeBrokers(join(folder, 'three')))
    const rows = started.map(({ name }) => [name])
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [i, { nc }] of started.entries())
        rows[i]?.push(String(Math.round(await perSecond(nc, messages))))
    say(`\nMessages acknowledged per second, ${UNDER_WAY} under way\n`)
    say(`${table([['', 'round 1', 'round 2', 'round 3'], ...rows])}\n`)
    return true
  } finally {
    await Promise.all(started.map((brokers) => brokers.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
}

async function oneBroker(dataDir: string): Promise<Brokers> {
  const secrets = generateSecrets().nats
  const binary = await findNatsServer({ cacheDir: CACHE })
  const server = await startNatsServer({ binary, dataDir, secrets })
  const login = { url: server.url, user: 'services', password: secrets.services_password }
  await applyBrokerTopology(login)
  const nc = await connect({ servers: server.url, user: login.user, pass: login.password })
  return { name: 'one broker', nc, stop: () => nc.close().then(() => server.stop()) }
}

async function threeBrokers(dataDir: string): Promise<Brokers> {
  const secrets = generateSecrets().nats
  const binary = await findNatsServer({ cacheDir: CACHE })
  const authority = await makeCertificate({ names: ['brokers'] })
  const { cert, key } = await makeCertificate({ issuer: authority })
  const certificate = { cert, key, ca: authority.cert }
  const cluster = await startNatsCluster({ binary, dataDir, secrets, certificate })
  const tls = { caFile: cluster.caFile }
  const login = { url: cluster.url, user: 'services', password: secrets.services_password }
  await applyBrokerTopology({ ...login, tls }, { replicas: 3 })
  const nc = await connect({ servers: login.url.split(','), tls, user: login.user, pass: login.password })
  return { name: 'three brokers', nc, stop: () => nc.close().then(() => cluster.stop()) }
}

async function perSecond(nc: NatsConnection, messages: number): Promise<number> {
  let left = messages
  const publish = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      await nc.request('scans.1.gate.canonical', BYTES, { timeout: 10_000 })
    }
  }
  const begin = performance.now()
  await Promise.all(Array.from({ length: UNDER_WAY }, publish))
  return (messages * 1_000) / (performance.now() - begin)
}

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@whereabouts/client/client'
import { signIn } from '@whereabouts/client/sign-in'
import { DATABASE } from '@whereabouts/deploy/database/roles'
import { roleUrl, ROLES, ROOT, SERVICES } from '@whereabouts/deploy/installation/services'
import { startPostgres, type PostgresServer } from '@whereabouts/deploy/workshop/servers/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newLocation, newOrganization, newReader, newWebhook } from '../../system/organization.ts'
import { startSystem, type System } from '../../system/system.ts'
import { figuresTable, measure, type StepFigures } from '../../upgrade/figures.ts'
import { olderPostgres } from './older-postgres.ts'
import { expectNothingLost } from './outcome.ts'
import {
  importAssets,
  PATIENTLY,
  startReplicas,
  unboundedKey,
  type Environments,
  type ReplicatedSystem,
} from './replicated-system.ts'
import { migrate, secretsOf } from './steps.ts'
import { startTraffic, type Traffic } from './traffic.ts'

const run = promisify(execFile)
const TAGS_OF_A_MOVE = 3_000
/** Of about two thousand. */
const MOST_REFUSED = 3

let home: string
let servers: [PostgresServer, PostgresServer, PostgresServer]
let system: System
let replicated: ReplicatedSystem
const steps: StepFigures[] = []

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'move-system-'))
  const start = (name: string, older = false) =>
    startPostgres({
      dataDir: join(home, name),
      password: 'letter-0',
      durable: false,
      settings: ['wal_level=logical'],
      ...(older && { programs: olderPostgres() }),
    })
  servers = [await start('first', true), await start('second'), await start('third')]
  system = await startSystem({}, { services: [], postgresUrl: servers[0].url() })
  replicated = await startReplicas(system, { env: addresses(0) })
}, 300_000)
afterAll(async () => {
  process.stdout.write(`\n${figuresTable(steps)}\n`)
  await replicated.stop()
  await system.stop()
  await Promise.all(servers.map((server) => server.stop()))
  rmSync(home, { recursive: true, force: true })
})

const serverAt = (index: number) => {
  const server = servers[index]
  if (!server) throw new Error(`no server ${index}`)
  return server
}

/** The addresses of services that are at a server and know the next one. */
function addresses(index: number): Environments {
  const { secrets } = system.stack
  const postgresUrl = serverAt(index).url()
  const urls = SERVICES.flatMap((name) => {
    const role = ROLES[name]
    if (!role) return []
    const url = roleUrl(role, { secrets, postgresUrl, database: DATABASE })
    return [[name, { DATABASE_URL: `${url}?next_host=127.0.0.1:${serverAt(index + 1).port}` }] as const]
  })
  return Object.fromEntries(urls)
}

const MOVES = ['PostgreSQL 17 to 18', 'PostgreSQL 18 to 18']

test(
  'the database moves twice under load: hardly a request fails, and nothing is lost',
  { timeout: 900_000 },
  async () => {
    const { base, place } = replicated
    const org = await newOrganization(place, 'rolling')
    const { access_token: adminToken } = await signIn(createClient({ baseUrl: base }), org.login)
    const dock = await newLocation(org, 'Dock', 'DOCK')
    await newReader(org, { key: 'gate', format: 'canonical', locationId: dock, antennas: 1 })
    await newWebhook(org, system.receiver.url)
    const keyToken = await unboundedKey(place, org)
    const tags = await importAssets({ place, org }, MOVES.length * TAGS_OF_A_MOVE)
    const { nats, mqtt } = system.stack.urls
    const options = { base, org, adminToken, keyToken, brokers: { urls: { nats, mqtt } } }
    const where = { org, locationId: dock, receiver: system.receiver, assets: tags.length }
    const traffics: Traffic[] = []
    for (const [index, title] of MOVES.entries()) {
      const traffic = startTraffic({
        ...options,
        tags: tags.slice(index * TAGS_OF_A_MOVE, (index + 1) * TAGS_OF_A_MOVE),
      })
      traffics.push(traffic)
      try {
        await move(title, index, traffic)
        await traffic.pause()
        // A statement that was sent while its session ended.
        expect(traffic.failures.filter(({ problem }) => !problem.startsWith('503'))).toEqual([])
        expect(traffic.failures.length).toBeLessThanOrEqual(MOST_REFUSED)
        const refused = traffics.flatMap(({ failures }) => failures).length
        await expectNothingLost({ ...where, refused }, traffics)
      } finally {
        await traffic.pause()
        await traffic.stop()
      }
    }
  },
)

/** Services are at server `index` and know the next one. Moves the database there, and tells services about the one after it. */
async function move(title: string, index: number, traffic: Traffic): Promise<void> {
  const [from, to] = [serverAt(index), serverAt(index + 1)]
  const counted = { traffic, deliveries: () => system.receiver.received.length }
  const step = async (name: string, work: () => Promise<unknown>) => {
    steps.push(await measure(`${title}: ${name}`, counted, work))
  }
  await step('before', () =>
    expect.poll(() => Math.min(...Object.values(traffic.served)), PATIENTLY).toBeGreaterThan(2),
  )
  const { secrets, urls } = system.stack
  await step('migrations', () => migrate(secretsOf({ secrets, urls: { ...urls, postgres: to.url() } })))
  await step('copy', () => moveDatabase(from, to, ['--start', '--wait']))
  await step('switch', async () => {
    const said = await moveDatabase(from, to, ['--switch'])
    process.stdout.write(`${said}\n`)
    expect(said).toContain('arrived: keys, catalog, tracking, webhooks, gateway')
  })
  await step('after', () => expect.poll(() => traffic.scanned.length, PATIENTLY).toBeGreaterThan(0))
  if (index + 2 >= servers.length) return
  const next = addresses(index + 1)
  for (const replica of replicated.replicas.slice())
    if (next[replica.name])
      await step(`replace ${replica.name}`, () =>
        replicated.replace(replica, { env: next[replica.name] ?? {} }),
      )
}

async function moveDatabase(
  from: PostgresServer,
  to: PostgresServer,
  flags: readonly string[],
): Promise<string> {
  const env = { ...process.env, FROM_DATABASE_URL: from.url(DATABASE), TO_DATABASE_URL: to.url(DATABASE) }
  const { stdout, stderr } = await run(process.execPath, [join(ROOT, 'deploy/move-database.ts'), ...flags], {
    env,
  })
  return stderr + stdout
}

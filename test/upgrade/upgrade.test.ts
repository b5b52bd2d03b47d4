import { ROOT } from '@whereabouts/deploy/installation/services'
import { createClient } from '@whereabouts/client/client'
import { signIn } from '@whereabouts/client/sign-in'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectNothingLost } from '../faults/rolling/outcome.ts'
import {
  importAssets,
  PATIENTLY,
  startReplicas,
  unboundedKey,
  type ReplicatedSystem,
} from '../faults/rolling/replicated-system.ts'
import { applyTopology, migrate, secretsOf } from '../faults/rolling/steps.ts'
import { startTraffic, type Traffic } from '../faults/rolling/traffic.ts'
import { newLocation, newOrganization, newReader, newWebhook } from '../system/organization.ts'
import { startSystem, type System } from '../system/system.ts'
import { newSite, tellAll } from './earlier-data.ts'
import { figuresTable, measure, type StepFigures } from './figures.ts'

/** The folder of an installed checkout. */
const OLDER = process.env['UPGRADE_FROM'] ?? ''
const TAGS_OF_A_PASS = 2_500

let system: System
let replicated: ReplicatedSystem
const steps: StepFigures[] = []

beforeAll(async () => {
  if (OLDER === '') throw new Error('run pnpm upgrade-test, which names an older version')
  system = await startSystem({}, { services: [], root: OLDER })
  replicated = await startReplicas(system, { root: OLDER })
})
afterAll(async () => {
  process.stdout.write(`\n${figuresTable(steps)}\n`)
  await replicated.stop()
  await system.stop()
})

const PASSES = [
  ['upgrade', ROOT],
  ['roll back', OLDER],
  ['upgrade again', ROOT],
] as const

test('a system is upgraded, rolled back and upgraded under load: no request fails and no data changes', async () => {
  const { place } = replicated
  const sites = [await newSite(place, 'first', 'nats'), await newSite(place, 'second', 'mqtt')]
  const earlier = await Promise.all(sites.map(tellAll))
  const load = await prepareLoad()
  const traffics: Traffic[] = []
  for (const [pass, root] of PASSES) {
    const traffic = load.start(traffics.length)
    traffics.push(traffic)
    try {
      await deploy(pass, root, traffic)
      await traffic.pause()
      await expectNothingLost(load.where, traffics)
      expect(await Promise.all(sites.map(tellAll))).toMatchObject(earlier)
    } finally {
      await traffic.pause()
      await traffic.stop()
    }
  }
})

/** An organization for the traffic, made by the older version. */
async function prepareLoad() {
  const { base, place } = replicated
  const org = await newOrganization(place, 'rolling')
  const { access_token: adminToken } = await signIn(createClient({ baseUrl: base }), org.login)
  const dock = await newLocation(org, 'Dock', 'DOCK')
  await newReader(org, { key: 'gate', format: 'canonical', locationId: dock, antennas: 1 })
  await newWebhook(org, system.receiver.url)
  const keyToken = await unboundedKey(place, org, OLDER)
  const tags = await importAssets({ place, org }, PASSES.length * TAGS_OF_A_PASS)
  const { nats, mqtt } = system.stack.urls
  const options = { base, org, adminToken, keyToken, brokers: { urls: { nats, mqtt } } }
  return {
    where: { org, locationId: dock, receiver: system.receiver, assets: tags.length },
    start: (pass: number) =>
      startTraffic({ ...options, tags: tags.slice(pass * TAGS_OF_A_PASS, (pass + 1) * TAGS_OF_A_PASS) }),
  }
}

/** Runs the steps of a version, then replaces the replicas one by one, and keeps the figures. */
async function deploy(pass: string, root: string, traffic: Traffic): Promise<void> {
  const secrets = secretsOf(system.stack)
  const counted = { traffic, deliveries: () => system.receiver.received.length }
  const step = async (title: string, work: () => Promise<unknown>) => {
    steps.push(await measure(`${pass}: ${title}`, counted, work))
  }
  await step('before', () =>
    expect.poll(() => Math.min(...Object.values(traffic.served)), PATIENTLY).toBeGreaterThan(2),
  )
  await step('migrations', () => migrate(secrets, root))
  await step('topology', () => applyTopology(secrets, system.stack.urls.nats, root))
  for (const replica of replicated.replicas.slice())
    await step(replica.name, async () =>
      expect(await replicated.replace(replica, { root })).toBe(`${replica.name}: exit code 0`),
    )
}

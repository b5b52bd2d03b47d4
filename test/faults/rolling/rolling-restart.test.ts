import { createClient } from '@whereabouts/client/client'
import { signIn } from '@whereabouts/client/sign-in'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newLocation, newOrganization, newReader, newWebhook } from '../../system/organization.ts'
import { startSystem, type System } from '../../system/system.ts'
import { expectNothingLost } from './outcome.ts'
import {
  importAssets,
  PATIENTLY,
  startReplicas,
  unboundedKey,
  type ReplicatedSystem,
} from './replicated-system.ts'
import { startTraffic } from './traffic.ts'

let system: System
let replicated: ReplicatedSystem

beforeAll(async () => {
  system = await startSystem({}, { services: [] })
  replicated = await startReplicas(system)
})
afterAll(async () => {
  await replicated.stop()
  await system.stop()
})

test(
  'every service is restarted, replica by replica, under load: no request fails, no scan, event or login is lost',
  { timeout: 240_000 },
  async () => {
    const { base, place, replicas } = replicated
    const org = await newOrganization(place, 'rolling')
    const { access_token: adminToken } = await signIn(createClient({ baseUrl: base }), org.login)
    const dock = await newLocation(org, 'Dock', 'DOCK')
    await newReader(org, { key: 'gate', format: 'canonical', locationId: dock, antennas: 1 })
    await newWebhook(org, system.receiver.url)
    const keyToken = await unboundedKey(place, org)
    const tags = await importAssets({ place, org }, 3_000)

    const { urls } = system.stack
    const brokers = { urls: { nats: urls.nats, mqtt: urls.mqtt } }
    const traffic = startTraffic({ base, org, adminToken, keyToken, brokers, tags })
    await expect.poll(() => Math.min(...Object.values(traffic.served)), PATIENTLY).toBeGreaterThan(2)

    const codes: string[] = []
    for (const replica of replicas) codes.push(await replicated.replace(replica))
    await traffic.pause()

    expect(traffic.failures).toEqual([])
    expect(codes).toEqual(replicas.map(({ name }) => `${name}: exit code 0`))

    await expectNothingLost({ org, locationId: dock, receiver: system.receiver, assets: tags.length }, [
      traffic,
    ])
    await traffic.stop()
  },
)

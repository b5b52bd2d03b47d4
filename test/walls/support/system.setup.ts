import mqtt from 'mqtt'
import type { TestProject } from 'vitest/node'
import type { Secrets } from '@whereabouts/deploy/installation/secrets'
import type { StackPlace } from '../../system/gateways.ts'
import { newOrganization } from '../../system/organization.ts'
import { startSystem } from '../../system/system.ts'
import { openWatcher } from './watcher.ts'

declare module 'vitest' {
  interface ProvidedContext {
    urls: { base: string; nats: string; mqtt: string; mail: string }
    place: StackPlace
    /** Passwords of the running system. The suite only reads with them and never attacks with them. */
    secrets: Secrets
    /** Every stream that the broker has when the tests begin, in every account that we can read. */
    streams: string[]
  }
}

/**
 * One system for all files, which run one after the other: each compares the whole broker before and after. Addresses
 * are trusted from the loopback interface (TRUSTED_PROXIES), so that a test can use many. Webhooks obey the rules
 * of production.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const system = await startSystem({
    gateway: { TRUSTED_PROXIES: '127.0.0.1' },
    keys: { ADDRESS_ATTEMPTS: '20', ADDRESS_ATTEMPT_SECONDS: '3' },
    'webhook-dispatcher': { ALLOW_PRIVATE_TARGETS: 'false' },
  })
  try {
    const { urls, secrets, dataDir } = system.stack
    const { base, nats, mqtt: mqttUrl } = urls
    await makeMqttStreams(mqttUrl, await newOrganization(system.stack, 'makes the streams of MQTT'))
    const watcher = await openWatcher(nats, secrets.nats.services_password)
    const streams = (await watcher.streams()).map(({ name }) => name)
    await watcher.close()
    console.log(`walls: nats-server ${watcher.version}, streams ${streams.join(', ')}`)
    project.provide('urls', { base, nats, mqtt: mqttUrl, mail: urls.mail })
    project.provide('place', { urls, secrets, dataDir })
    project.provide('secrets', secrets)
    project.provide('streams', streams)
  } catch (error) {
    await system.stop()
    throw error
  }
  return () => system.stop()
}

type Org = Awaited<ReturnType<typeof newOrganization>>

/** The broker creates its own streams when the first MQTT client of an account connects. */
async function makeMqttStreams(url: string, { readerKey }: Org): Promise<void> {
  const { clientId: username, clientSecret: password } = readerKey
  const client = await mqtt.connectAsync(url, { protocolVersion: 4, username, password, clientId: username })
  await client.endAsync()
}

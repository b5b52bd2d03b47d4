import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE } from '@whereabouts/deploy/database/roles'
import { freePorts } from '@whereabouts/deploy/local/servers/free-port'
import { createServiceControl } from '@whereabouts/deploy/local/service-process'
import { perService, serviceEnvironment, type Wiring } from '@whereabouts/deploy/local/services'
import type { Stack } from '@whereabouts/deploy/local/stack'

/** What one more process must know of a running stack. Plain data, so that it can be handed to another process. */
export type StackPlace = Pick<Stack, 'urls' | 'secrets' | 'dataDir'>

export type ExtraGateway = { base: string; stop(): Promise<void> }

/** One more gateway on the database, broker and services of a stack, as a second replica. `env` is added to its own. */
export async function startGateway(
  place: StackPlace,
  env: Record<string, string> = {},
): Promise<ExtraGateway> {
  const [api = 0, ops = 0] = await freePorts(2)
  const dataDir = join(place.dataDir, `gateway-${api}`)
  mkdirSync(dataDir)
  const control = createServiceControl({
    name: 'gateway',
    env: { ...serviceEnvironment('gateway', wiringOf(place, { api, ops })), ...env },
    opsUrl: `http://127.0.0.1:${ops}`,
    dataDir,
  })
  control.start()
  try {
    await control.waitReady()
  } catch (error) {
    await control.stop()
    throw error
  }
  return { base: `http://127.0.0.1:${api}`, stop: () => control.stop() }
}

function wiringOf({ urls, secrets }: StackPlace, gateway: { api: number; ops: number }): Wiring {
  const portOf = (url: string) => Number(new URL(url).port)
  const ports = perService((name) => ({ api: portOf(urls.api[name]), ops: portOf(urls.ops[name]) }))
  const { postgres: postgresUrl, nats: natsUrl } = urls
  return { secrets, ports: { ...ports, gateway }, postgresUrl, database: DATABASE, natsUrl }
}

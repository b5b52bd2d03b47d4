import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DATABASE } from '@whereabouts/deploy/database/roles'
import { freePorts } from '@whereabouts/deploy/workshop/servers/free-port'
import { createServiceControl, type ServiceControl } from '@whereabouts/deploy/workshop/stack/service-process'
import { perService, serviceEnvironment, type ServiceName } from '@whereabouts/deploy/installation/services'
import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'

/** The data of a running stack that one more process needs. Plain, so that it can be sent to another process. */
export type StackPlace = Pick<Stack, 'urls' | 'secrets' | 'dataDir'>

export type Replica = { name: ServiceName; control: ServiceControl; api: string; ops: string }

/**
 * `env` is added to its own; `root`: another checkout whose code it runs; `like`: one that ended, whose ports it
 * takes.
 */
type Options = { env?: Record<string, string>; root?: string; like?: Replica }

/** One more process of a service on the servers of a stack, ready. */
export async function startReplica(
  { urls, secrets, dataDir: place }: StackPlace,
  name: ServiceName,
  { env = {}, root, like }: Options = {},
): Promise<Replica> {
  const [api = 0, ops = 0] = like ? [portOf(like.api), portOf(like.ops)] : await freePorts(2)
  const dataDir = join(place, `${name}-${api}`)
  mkdirSync(dataDir, { recursive: true })
  const ports = perService((each) => ({ api: portOf(urls.api[each]), ops: portOf(urls.ops[each]) }))
  const wiring = {
    secrets,
    ports: { ...ports, [name]: { api, ops } },
    postgresUrl: urls.postgres,
    database: DATABASE,
    natsUrl: urls.nats,
  }
  const opsUrl = `http://127.0.0.1:${ops}`
  const control = createServiceControl({
    name,
    env: { ...serviceEnvironment(name, wiring), ...env },
    opsUrl,
    dataDir,
    ...(root !== undefined && { root }),
  })
  control.start()
  try {
    await control.waitReady()
  } catch (error) {
    await control.stop()
    throw error
  }
  return { name, control, api: `http://127.0.0.1:${api}`, ops: opsUrl }
}

const portOf = (url: string) => Number(new URL(url).port)

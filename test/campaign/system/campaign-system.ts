import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { watchBrokerStorage } from '@whereabouts/deploy/workshop/stack/broker-health'
import { poll } from '@whereabouts/deploy/workshop/servers/poll'
import { startStack, type Stack } from '@whereabouts/deploy/workshop/stack/stack'
import { startReceiver, type Receiver } from '@whereabouts/testing/receiver'
import { startBalancer, type Balancer } from '../../system/balancer.ts'
import { startReplica } from '../../system/replicas.ts'
import { startLink, type Link } from '../network/link.ts'
import type { Owners } from '../owners.ts'
import { CLIENT_LINK, ORGANIZATIONS, REPLICATED, TRANSPORTS, UPSTREAMS } from '../plan/targets.ts'
import { mountDisk, type Disk } from './disk.ts'
import type { Place } from './place.ts'
import { CampaignReplica, type Exit } from './replica.ts'

/** Two replicas of each service behind balancers, with a link on every connection that can be disturbed. */
export type CampaignSystem = {
  stack: Stack
  /** The public address, behind a link and a balancer. */
  base: string
  replicas: ReadonlyMap<string, CampaignReplica>
  links: ReadonlyMap<string, Link>
  /** Of broker and database; undefined where no file system can be mounted. */
  disks: Partial<Record<'broker' | 'postgres', Disk>>
  receiver: Receiver
  /** Processes that ended by themselves. */
  exits: Exit[]
}

const CLOCK = new URL('shifted-clock.ts', import.meta.url).href
const PATIENTLY = { everyMs: 50, timeoutMs: 30_000 }
/** Restarts drain as in a cluster, but shorter: a drain lasts longer than idle connections of the callers. */
const DRAIN = { DRAIN_MS: '1000', SHUTDOWN_GRACE_MS: '2000' }

/** Gives each part to `owners` when it is open, so that a start that fails leaves nothing. */
export async function startCampaignSystem(
  { folder, dataDir }: Place,
  owners: Owners,
): Promise<CampaignSystem> {
  const disks = mountDisks(dataDir)
  owners.add('disks', () => Object.values(disks).forEach((disk) => disk.unmount()))
  const links = new Map<string, Link>()
  const balancers = new Map<string, Balancer>()
  const replicas = new Map<string, CampaignReplica>()
  const exits: Exit[] = []
  const receiver = await startReceiver()
  owners.add('receiver', () => receiver.close())
  const stack = await startStack({ dataDir, services: [] })
  owners.add('servers', () => stack.stop())
  const brokerWatch = watchBrokerStorage({
    broker: stack.broker,
    folder: join(dataDir, 'nats'),
    restart: () => stack.broker.restart('SIGTERM'),
    say: (line) => process.stdout.write(`${line}\n`),
  })
  owners.add('watch of the broker', () => brokerWatch.stop())
  owners.add('links and balancers', () =>
    Promise.all([...links.values(), ...balancers.values()].map((part) => part.close())),
  )
  owners.add('services', () => Promise.all([...replicas.values()].map((replica) => replica.stop())))

  const linkTo = async (name: string, url: string) => {
    const { hostname: host, port } = new URL(url)
    const link = await startLink({ host, port: Number(port) })
    links.set(name, link)
    const through = new URL(url)
    through.port = String(link.port)
    return through.href.replace(/\/$/, '')
  }

  for (const service of REPLICATED) balancers.set(service, await startBalancer())
  const balancerOf = (service: string) => balancers.get(service)?.url ?? ''
  const caFile = join(folder, 'receiver-ca.pem')
  writeFileSync(caFile, receiver.ca)

  for (const service of REPLICATED) {
    // Gateways need keys first.
    const started = [1, 2].map(async (n) => {
      const name = `${service}-${n}`
      const clockFile = join(folder, `${name}.clock`)
      const urls = {
        ...stack.urls,
        postgres: await linkTo(`${name}>postgres`, stack.urls.postgres),
        nats: await linkTo(`${name}>broker`, stack.urls.nats),
      }
      const upstreams: Record<string, string> = {}
      if (service === 'gateway')
        for (const upstream of UPSTREAMS)
          upstreams[`${upstream.replace('-', '_').toUpperCase()}_URL`] = await linkTo(
            `${name}>${upstream}`,
            balancerOf(upstream),
          )
      const env = {
        ...DRAIN,
        ...upstreams,
        ...(service === 'gateway' && { UPSTREAM_KEEP_ALIVE_MS: '300' }),
        ...(service === 'keys' && { ADDRESS_ATTEMPTS: '100000' }),
        ...(service === 'webhook-dispatcher' && { NODE_EXTRA_CA_CERTS: caFile }),
        NODE_OPTIONS: `--import=${CLOCK}`,
        CLOCK_SHIFT_FILE: clockFile,
      }
      const replica = await startReplica({ ...stack, urls }, service, { env })
      balancers.get(service)?.add(replica)
      replicas.set(name, new CampaignReplica(name, replica, clockFile, (exit) => exits.push(exit)))
    })
    const failed = (await Promise.allSettled(started)).find(({ status }) => status === 'rejected')
    if (failed) await Promise.all(started) // throws; the other replica is in the map by now
  }
  await poll(
    () => [...balancers.values()].every(({ readyCount }) => readyCount === 2) || undefined,
    PATIENTLY,
  )
  const base = await linkTo(CLIENT_LINK, balancerOf('gateway'))
  for (const n of ORGANIZATIONS) {
    await linkTo(`webhook-dispatcher>receiver-${n}`, receiver.url)
    for (const transport of TRANSPORTS) await linkTo(`reader-${n}-${transport}>broker`, stack.urls[transport])
  }
  return {
    stack,
    base,
    replicas,
    links,
    disks,
    receiver,
    exits,
  }
}

function mountDisks(dataDir: string): CampaignSystem['disks'] {
  const [broker, postgres] = [mountDisk(join(dataDir, 'nats')), mountDisk(join(dataDir, 'postgres'))]
  return { ...(broker && { broker }), ...(postgres && { postgres }) }
}

import { setTimeout as delay } from 'node:timers/promises'
import { createClient, exchangeKey } from '@whereabouts/client/client'
import type { ClusterMember } from '@whereabouts/deploy/workshop/servers/nats-cluster'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  handOver,
  leaderOf,
  partLeaders,
  serverOf,
  startClusterSystem,
  type ClusterSystem,
} from '../system/cluster.ts'
import { startReader } from '../system/fleet.ts'
import {
  mintKey,
  newAsset,
  newLocation,
  newOrganization,
  newReader,
  newWebhook,
  type ApiKey,
  type Organization,
} from '../system/organization.ts'
import { connectReader, type ReaderLink } from '../system/readers.ts'

let system: ClusterSystem
beforeAll(async () => {
  system = await startClusterSystem()
})
afterAll(() => system.stop())

const MINUTE = 60_000
const ASSETS = { nats: 20, mqtt: 4 } as const
/** Connections of readers over NATS. */
const LINKS = 4
/** Of each asset. The broker is killed after a third of them and restarts after two thirds. */
const SCANS = 90
/** Between two scans of an asset: together some hundred a second. */
const PACE_MS = 60
/** Longer than the broker waits for a consumer before it redelivers its messages. */
const SETTLED = { timeout: 60_000, interval: 1_000 }

type Mover = { key: string; id: number }

/** The n-th scan of an asset: alternately at two locations, each a minute after the one before. */
function scanOf(mover: Mover, n: number, begin: number): { reader: string; bytes: Buffer } {
  const read_at = new Date(begin + n * MINUTE).toISOString()
  const reads = [{ tag: { type: 'barcode', value: mover.key }, read_at }]
  return { reader: n % 2 === 0 ? 'dock' : 'shelf', bytes: Buffer.from(JSON.stringify({ reads })) }
}

async function site(name: string) {
  const org = await newOrganization(system.stack, name)
  for (const [reader, key] of [['dock', 'DOCK'], ['shelf', 'SHELF']] as const) // oxfmt-ignore
    await newReader(org, { key: reader, format: 'canonical', locationId: await newLocation(org, key, key), antennas: 1 }) // oxfmt-ignore
  await newWebhook(org, system.receiver.url.replace('/hook', `/${name}`))
  const movers: Mover[] = []
  for (let i = 0; i < ASSETS.nats + ASSETS.mqtt; i += 1) {
    const key = `BOX-${name}-${i}`
    const { id } = await newAsset(org, key, [{ tag_type: 'barcode', value: key }])
    movers.push({ key, id })
  }
  return { org, nats: movers.slice(0, ASSETS.nats), mqtt: movers.slice(ASSETS.nats) }
}

/** Publishes the scans of one asset, each repeatedly until the broker has acknowledged it. */
async function move(org: Organization, link: ReaderLink, mover: Mover, begin: number, onAck: () => void) {
  for (let n = 0; n < SCANS; n += 1) {
    const { reader, bytes } = scanOf(mover, n, begin)
    const publish = () => link.publish(org.id, reader, 'canonical', bytes).then(() => true, () => false) // oxfmt-ignore
    while (!(await publish())) await delay(100)
    onAck()
    await delay(PACE_MS)
  }
}

async function historyCount(org: Organization, id: number): Promise<number> {
  const params = { path: { asset_id: id }, query: { limit: 1 } }
  const { data } = await org.integrator.GET('/api/v1/assets/{asset_id}/history', { params })
  return data?.total_count ?? -1
}

type Moved = {
  delivery_id: string
  occurred_at: string
  asset: { id: number }
  from_location: { name: string } | null
  to_location: { name: string }
}

/** The movements of an organization in EVENTS, which show duplicates before any delivery. */
async function announced(orgId: number): Promise<Moved[]> {
  const jsm = await system.nc.jetstreamManager()
  const filter = `events.asset-moved.${orgId}`
  const { name } = await jsm.consumers.add('EVENTS', { filter_subject: filter, ack_policy: 'none' as never, mem_storage: true }) // oxfmt-ignore
  const consumer = await system.nc.jetstream().consumers.get('EVENTS', name)
  const { num_pending: count } = await consumer.info()
  const moves: Moved[] = []
  if (count > 0)
    for await (const message of await consumer.fetch({ max_messages: count, expires: 5_000 }))
      moves.push(message.json<Moved>())
  return moves
}

const idsOf = (moves: readonly Moved[]) => moves.map(({ delivery_id: id }) => id)

/** In order of time, each movement must start at the location where the one before ended. */
function expectUnbroken(moves: readonly Moved[], { id }: Mover): void {
  const own = moves.filter(({ asset }) => asset.id === id)
  const inOrder = own.toSorted((a, b) => a.occurred_at.localeCompare(b.occurred_at))
  const from = inOrder.map(({ from_location: place }) => place?.name)
  const to = inOrder.map(({ to_location: place }) => place.name)
  expect(from).toEqual([undefined, ...to.slice(0, -1)])
  expect(to.at(-1)).toBe(SCANS % 2 === 0 ? 'SHELF' : 'DOCK')
}

const delivered = (path: string) =>
  system.receiver.received
    .filter((delivery) => delivery.path === path)
    .map(({ body }) => (JSON.parse(body.toString()) as { delivery_id: string }).delivery_id)

const pids = () => Object.values(system.stack.services).map(({ name, pid, isRunning }) => ({ name, pid, isRunning })) // oxfmt-ignore

async function notReady(): Promise<string[]> {
  const names = Object.entries(system.stack.urls.ops)
  const states = await Promise.all(
    names.map(async ([name, url]) => ((await fetch(`${url}/readyz`)).ok ? [] : [name])),
  )
  return states.flat()
}

/** Seconds that the oldest movement has been waiting for the broker. */
async function unpublished(): Promise<number> {
  const text = await (await fetch(`${system.stack.urls.ops.tracking}/metrics`)).text()
  return Number(/^outbox_age_seconds(?:\{.*\})? (.+)$/m.exec(text)?.[1])
}

/** A key with a valid token. */
async function shortLivedKey(org: Organization) {
  const key = await mintKey(org.admin, org.id, 'short-lived', ['assets:read', 'scans:write'])
  const baseUrl = system.stack.urls.base
  const { access_token: token } = await exchangeKey(createClient({ baseUrl }), key)
  const client = createClient({ baseUrl, token })
  const ask = async () => (await client.GET('/api/v1/assets')).response.status
  expect(await ask()).toBe(200)
  return { key, ask }
}

async function revoke(org: Organization, { clientId }: ApiKey): Promise<void> {
  const params = { path: { org_id: org.id, key_id: clientId } }
  const { response } = await org.admin.DELETE('/api/v1/orgs/{org_id}/api-keys/{key_id}', { params })
  expect(response.status).toBe(204)
}

/** A revocation reaches the gateway and readers at every broker. */
async function expectRevocationApplied(org: Organization): Promise<void> {
  const { key, ask } = await shortLivedKey(org)
  const { members } = system.cluster
  const readers = await Promise.all(
    members.flatMap(({ name, url, mqttUrl }) =>
      (['nats', 'mqtt'] as const).map(
        (transport) =>
        startReader(transport, { urls: { nats: url, mqtt: mqttUrl }, ca: system.ca, key, name: `${transport}-${name}` }), // oxfmt-ignore
      ),
    ),
  )
  try {
    await revoke(org, key)
    await expect.poll(ask, { timeout: 5_000, interval: 100 }).toBe(401)
    await expect
      .poll(() => readers.filter(({ isConnected }) => isConnected).length, { timeout: 20_000 })
      .toBe(0)
  } finally {
    await Promise.all(readers.map((reader) => reader.close()))
  }
}

/** MQTT acknowledges in another stream than SCANS. The worst case is the loss of the leader of only one of the two. */
const separateMqtt = () => partLeaders(system, 'SCANS', '$MQTT_msgs')

/** NATS readers know all brokers; the MQTT reader knows one that keeps running. */
async function openLinks(org: Organization, victim: ClusterMember) {
  const other = system.cluster.members.find((member) => member !== victim)
  const at = { urls: { nats: system.cluster.url, mqtt: other?.mqttUrl ?? '' }, ca: system.ca }
  const nats = Array.from({ length: LINKS }, () => connectReader(at, org.readerKey, 'nats'))
  return { nats: await Promise.all(nats), mqtt: await connectReader(at, org.readerKey, 'mqtt') }
}

/** Counts acknowledgements, and calls `on` after one and two thirds of them. */
function startMeter(total: number, on: { third: () => Promise<void>; twoThirds: () => Promise<void> }) {
  const beganAt = performance.now()
  let [acks, lastAckAt, longestPauseMs] = [0, beganAt, 0]
  let done: Promise<void> = Promise.resolve()
  return {
    onAck: () => {
      const now = performance.now()
      longestPauseMs = Math.max(longestPauseMs, now - lastAckAt)
      lastAckAt = now
      acks += 1
      if (acks === Math.floor(total / 3)) done = on.third()
      if (acks === Math.floor((2 * total) / 3)) done = done.then(on.twoThirds)
    },
    async end() {
      const tookMs = Math.round(performance.now() - beganAt)
      await done
      return { tookMs, longestPauseMs: Math.round(longestPauseMs) }
    },
  }
}

/** Resolves with the movements when no more arrive and the receiver has all of them. */
async function untilAllDelivered(org: Organization, label: string): Promise<Moved[]> {
  let seen = -1
  return vi.waitUntil(async () => {
    const [waiting, moves] = [await unpublished(), await announced(org.id)]
    const isStill = moves.length === seen // the relay polls several times between two of our polls
    seen = moves.length
    const told = new Set(delivered(`/${label}`)).size === new Set(idsOf(moves)).size
    return isStill && waiting === 0 && told && moves
  }, SETTLED)
}

/** A reader that stayed connected continues normally. */
async function expectMqttIsWell(
  org: Organization,
  link: ReaderLink,
  movers: readonly Mover[],
  begin: number,
) {
  for (const mover of movers) {
    const before = await historyCount(org, mover.id)
    const { reader, bytes } = scanOf(mover, SCANS, begin)
    await link.publish(org.id, reader, 'canonical', bytes)
    await vi.waitUntil(async () => (await historyCount(org, mover.id)) === before + 1, SETTLED)
  }
}

const victims = [
  { name: 'the leader of SCANS is killed', signal: 'SIGKILL', find: () => leaderOf(system, 'SCANS') },
  {
    name: 'the broker of keys is killed',
    signal: 'SIGKILL',
    find: () => serverOf(system, 'callout', 'keys'),
  },
  {
    name: 'the leader of SCANS is shut down',
    signal: 'SIGTERM',
    find: () => leaderOf(system, 'SCANS'),
  },
] as const

describe('one of three brokers stops and restarts: acknowledged scans are stored and announced once', () => {
  test.for(victims)('$name', { timeout: 240_000 }, async ({ name, find, signal }) => {
    const label = `cluster-${victims.findIndex((victim) => victim.name === name)}`
    const { org, nats, mqtt } = await site(label)
    const before = pids()
    await separateMqtt()
    const victim = await find()
    const links = await openLinks(org, victim)
    const begin = Math.floor(Date.now() / MINUTE) * MINUTE - 20 * 60 * MINUTE
    const meter = startMeter(SCANS * ASSETS.nats, {
      third: () => victim.stop(signal),
      twoThirds: () => victim.start(),
    })
    await Promise.all([
      ...nats.map((mover, i) => move(org, links.nats[i % LINKS]!, mover, begin, meter.onAck)),
      ...mqtt.map((mover) => move(org, links.mqtt, mover, begin, () => {})),
    ])
    const { longestPauseMs, tookMs } = await meter.end()

    for (const mover of [...nats, ...mqtt])
      await vi.waitUntil(async () => (await historyCount(org, mover.id)) === SCANS, SETTLED)
    const moves = await untilAllDelivered(org, label)
    const ids = idsOf(moves)
    console.log(
      `${name}: ${SCANS * ASSETS.nats} scans in ${tookMs} ms, none acknowledged for ${longestPauseMs} ms; ` +
        `${ids.length} moves announced of ${SCANS * (nats.length + mqtt.length)} scans`,
    )
    expect(new Set(ids).size).toBe(ids.length)
    expect(new Set(delivered(`/${label}`))).toEqual(new Set(ids))
    for (const mover of nats) expectUnbroken(moves, mover)

    await expect.poll(notReady, SETTLED).toEqual([])
    expect(pids()).toEqual(before)
    await expectRevocationApplied(org)
    await expectMqttIsWell(org, links.mqtt, mqtt, begin)
    await Promise.all([...links.nats, links.mqtt].map((link) => link.close()))
  })
})

test(
  'D9.3 a revocation takes effect at once while the cluster elects a leader for its stream',
  { timeout: 120_000 },
  async () => {
    const org = await newOrganization(system.stack, 'leaderless')
    const { key, ask } = await shortLivedKey(org)
    // Not the broker of the gateway or of keys: without it they would know that their view is not current.
    const taken = new Set([
      await serverOf(system, 'services', 'gateway'),
      await serverOf(system, 'services', 'keys'),
    ])
    const victim = system.cluster.members.find((member) => !taken.has(member))
    if (!victim) throw new Error('there are three brokers and two services')
    await handOver(system, 'KEYS', victim)
    await victim.stop('SIGKILL')
    await revoke(org, key)
    const revokedAt = performance.now()
    await expect.poll(ask, { timeout: 3_000, interval: 50 }).toBe(401)
    console.log(`refused ${Math.round(performance.now() - revokedAt)} ms after the revocation`)
    await victim.start()
    await expect.poll(notReady, SETTLED).toEqual([])
  },
)

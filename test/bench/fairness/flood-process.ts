// A separate process that publishes messages of one or more organizations at a fixed rate, or as fast as the broker accepts.
// Each key has one connection, which reconnects when the broker accepts it again.
import { setTimeout as delay } from 'node:timers/promises'
import { connect, Events, type NatsConnection } from 'nats'
import { READER, tagValueOf } from '../ingest/warehouse.ts'

type Key = { org: number; clientId: string }
export type FloodJob = {
  url: string
  /** Each has a connection. */
  keys: Key[]
  clientSecret: string
  /** Sum over the keys of an organization. */
  messagesPerSecond: number
  reads: number
  bytes?: number
  isNew?: boolean
  assetsPerOrg: number
}
/** The messages given to open connections, and how often the broker ended one. */
export type Flooded = { messages: number; reads: number; bytes: number; seconds: number; cutOff: number }

/** If it is later than this, it does not catch up, because the broker accepts no more. */
const MOST_BEHIND_SECONDS = 0.25
/** In case its parent has ended. */
const LIMIT_MS = 5 * 60_000
const BODIES = 40
const RECONNECT_MS = 250

const job = JSON.parse(process.argv[2] ?? '{}') as FloodJob
const bodies = new Map(
  [...new Set(job.keys.map(({ org }) => org))].map((org) => [
    org,
    Array.from({ length: BODIES }, (_, i) => bodyOf(org, i)),
  ]),
)
/** Messages of each organization. */
const sentOf = new Map<number, number>()
const sent = { messages: 0, bytes: 0, cutOff: 0 }
const started = performance.now()
let isStopped = false
process.on('message', () => (isStopped = true))
process.on('disconnect', () => process.exit())
process.send?.('flooding')

const isOver = () => isStopped || performance.now() - started >= LIMIT_MS
await Promise.all(job.keys.map(floodWith))
const seconds = (performance.now() - started) / 1_000
process.send?.({ ...sent, reads: sent.messages * job.reads, seconds } satisfies Flooded)

async function floodWith({ org, clientId }: Key): Promise<void> {
  const nc = await logIn(clientId)
  if (!nc) return
  let isUp = true
  void (async () => {
    for await (const { type } of nc.status()) {
      // A refused login is a disconnect as well.
      if (type === Events.Disconnect && isUp) sent.cutOff += 1
      if (type === Events.Disconnect || type === Events.Reconnect) isUp = type === Events.Reconnect
    }
  })()
  await publishAtRate(nc, org, () => isUp)
  await nc.close()
}

/** Undefined if the flood ended before the broker accepted the login: an earlier part may have caused a suspension. */
async function logIn(user: string): Promise<NatsConnection | undefined> {
  const options = { maxReconnectAttempts: -1, reconnectTimeWait: RECONNECT_MS, ignoreAuthErrorAbort: true }
  while (!isOver()) {
    try {
      return await connect({ servers: job.url, user, pass: job.clientSecret, ...options })
    } catch {
      await delay(RECONNECT_MS) // refused
    }
  }
  return undefined
}

async function publishAtRate(nc: NatsConnection, org: number, isUp: () => boolean): Promise<void> {
  const perSecond = job.messagesPerSecond / job.keys.filter((key) => key.org === org).length
  let due = 0
  let last = performance.now()
  while (!isOver()) {
    const now = performance.now()
    due = Math.min(due + ((now - last) / 1_000) * perSecond, MOST_BEHIND_SECONDS * perSecond)
    last = now
    for (; due >= 1 && isUp(); due -= 1) publishNext(nc, org)
    // If the connection ends first, a flush resolves only after the reconnect.
    if (isUp()) await Promise.race([nc.flush().catch(() => undefined), until(() => !isUp() || isOver())])
    await delay(1)
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await delay(20)
}

function publishNext(nc: NatsConnection, org: number): void {
  const index = sentOf.get(org) ?? 0
  sentOf.set(org, index + 1)
  const body = job.isNew ? bodyOf(org, index) : (bodies.get(org)?.[index % BODIES] ?? Buffer.alloc(0))
  nc.publish(`scans.${org}.${READER}.canonical`, body)
  sent.messages += 1
  sent.bytes += body.length
}

/** Every body reads different assets, until all were read; then, if reads are to be new, the minute before. */
function bodyOf(org: number, index: number): Buffer {
  const minutesAgo = Math.floor((index * job.reads) / job.assetsPerOrg) % (23 * 60)
  const time = job.isNew ? { read_at: new Date(Date.now() - minutesAgo * 60_000).toISOString() } : {}
  const reads = Array.from({ length: job.reads }, (_, i) => ({
    tag: { type: 'rfid', value: tagValueOf(org, (index * job.reads + i) % job.assetsPerOrg) },
    antenna: 1,
    rssi_dbm: -54.5,
    ...time,
  }))
  const body = JSON.stringify({ reads })
  return Buffer.from(job.bytes === undefined ? body : body.padEnd(job.bytes))
}

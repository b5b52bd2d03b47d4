// A process of its own: publishes messages of one organization by the clock, as fast as the broker takes them at most.
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from 'nats'
import { READER, tagValueOf } from '../ingest/warehouse.ts'

export type FloodJob = {
  url: string
  password: string
  org: number
  messagesPerSecond: number
  reads: number
  bytes?: number
  assetsPerOrg: number
}
export type Flooded = { messages: number; reads: number; bytes: number; seconds: number }

/** Behind the clock by more than this it does not catch up: the broker takes no more. */
const MOST_BEHIND_SECONDS = 0.25
/** Whoever started it may be gone. */
const LIMIT_MS = 5 * 60_000
const BODIES = 40

const job = JSON.parse(process.argv[2] ?? '{}') as FloodJob
const nc = await connect({ servers: job.url, user: 'services', pass: job.password })
const bodies = Array.from({ length: BODIES }, (_, i) => bodyOf(i))
const sent = { messages: 0, bytes: 0 }
const started = performance.now()
let isStopped = false
process.on('message', () => (isStopped = true))
process.on('disconnect', () => process.exit())
process.send?.('flooding')

let due = 0
let last = started
while (!isStopped && performance.now() - started < LIMIT_MS) {
  const now = performance.now()
  due = Math.min(
    due + ((now - last) / 1_000) * job.messagesPerSecond,
    MOST_BEHIND_SECONDS * job.messagesPerSecond,
  )
  last = now
  for (; due >= 1; due -= 1) publishNext()
  await nc.flush()
  await delay(1)
}
const seconds = (performance.now() - started) / 1_000
await nc.close()
process.send?.({ ...sent, reads: sent.messages * job.reads, seconds } satisfies Flooded)

function publishNext(): void {
  const body = bodies[sent.messages % BODIES] ?? Buffer.alloc(0)
  nc.publish(`scans.${job.org}.${READER}.canonical`, body)
  sent.messages += 1
  sent.bytes += body.length
}

/** Every body reads other assets, until all were read. */
function bodyOf(index: number): Buffer {
  const reads = Array.from({ length: job.reads }, (_, i) => ({
    tag: { type: 'rfid', value: tagValueOf(job.org, (index * job.reads + i) % job.assetsPerOrg) },
    antenna: 1,
    rssi_dbm: -54.5,
  }))
  const body = JSON.stringify({ reads })
  return Buffer.from(job.bytes === undefined ? body : body.padEnd(job.bytes))
}

import { setTimeout as delay } from 'node:timers/promises'
import type { NatsConnection } from 'nats'
import type { Ask } from '../ingest/delay.ts'
import { assetIdOf, READER, tagValueOf } from '../ingest/warehouse.ts'

/** The organization whose scans are timed. Each is the first scan of another asset. */
export const QUIET_ORG = 200
const GIVE_UP_MS = 60_000
const ASK_EVERY_MS = 4

/**
 * Sends single reads at a fixed rate and measures the milliseconds until the report shows each. `next` returns the
 * asset numbers.
 */
export async function timeScans(
  { nc, ask }: { nc: NatsConnection; ask: Ask },
  { seconds, perSecond, next }: { seconds: number; perSecond: number; next: () => number },
): Promise<number[]> {
  const waiting: Promise<number>[] = []
  const started = performance.now()
  for (let sent = 0; sent < seconds * perSecond; sent += 1) {
    await delay(Math.max(0, started + (sent * 1_000) / perSecond - performance.now()))
    const asset = next()
    const body = { reads: [{ tag: { type: 'rfid', value: tagValueOf(QUIET_ORG, asset) }, antenna: 2 }] }
    nc.publish(`scans.${QUIET_ORG}.${READER}.canonical`, JSON.stringify(body))
    waiting.push(untilReported(ask, assetIdOf(QUIET_ORG, asset)))
  }
  return Promise.all(waiting)
}

/** A scan that is missing after a minute counts as a minute. */
async function untilReported(ask: Ask, id: number): Promise<number> {
  const started = performance.now()
  for (;;) {
    const location = (await ask(id))?.location_external_key
    const took = performance.now() - started
    if (location === 'DOCK-2' || took > GIVE_UP_MS) return took
    await delay(ASK_EVERY_MS)
  }
}

import { setTimeout as wait } from 'node:timers/promises'
import { minuteOf } from '../ledger/ledger.ts'
import type { Random } from '../plan/random.ts'
import { connectReader, type ReaderLink, type Transport } from './reader-link.ts'
import type { Tenant } from './tenant.ts'

export type ReadCounts = { confirmed: number; unknown: number }

export type Reading = {
  tenant: Tenant
  transport: Transport
  port: number
  random: Random
  /** How far the clock of this reader is off now, in ms. */
  clockMs: () => number
  isStopping: () => boolean
}

const PAUSE_MS = 150
const READS_PER_MESSAGE = 8
/** A time of a read counts if it is at most this far ahead of the broker (D8.6); less, for the way to it. */
const AHEAD_MS = 25_000

/** One reader at work until it is told to stop. Every message is in the ledger, confirmed or not. */
export async function readAssets(reading: Reading): Promise<ReadCounts> {
  const { tenant, transport, port, isStopping } = reading
  const counts = { confirmed: 0, unknown: 0 }
  const link = await connectReader(transport, port, tenant.readerKey)
  while (!isStopping()) {
    const confirmed = await readOnce(link, reading)
    counts[confirmed ? 'confirmed' : 'unknown'] += READS_PER_MESSAGE
    await wait(PAUSE_MS)
  }
  await link.close()
  return counts
}

async function readOnce(link: ReaderLink, { tenant, random, clockMs }: Reading): Promise<boolean> {
  const gate = random.whole(0, tenant.locations.length - 1)
  const location = tenant.locations[gate]
  if (!location) throw new Error(`there is no gate ${gate}`)
  const ids = [...tenant.tags.keys()]
  const assets = Array.from({ length: READS_PER_MESSAGE }, () => random.pick(ids))
  const shiftMs = clockMs()
  const sentAtMs = Date.now()
  const readAt = new Date(sentAtMs + shiftMs)
  const reads = assets.map((id) => ({
    tag: { type: 'rfid', value: tenant.tags.get(id) },
    antenna: 1,
    read_at: readAt.toISOString(),
  }))
  const confirmed = await link.publish(`scans.${tenant.id}.gate-${gate}.canonical`, JSON.stringify({ reads }))
  const minutes = minutesOf(readAt.getTime(), shiftMs, { sentAtMs, endedAtMs: Date.now() })
  for (const id of assets)
    for (const minute of minutes)
      tenant.ledger.assets.get(id)?.read(minute, location.id, confirmed && minutes.length === 1)
  return confirmed
}

/** What the broker received late keeps its time for this long. */
const LATE_MS = 120_000

/** The minutes that a read may be stored in: of a clock too far ahead, those in which the broker may receive it. */
function minutesOf(
  readAtMs: number,
  shiftMs: number,
  { sentAtMs, endedAtMs }: { sentAtMs: number; endedAtMs: number },
) {
  const own = minuteOf(readAtMs)
  if (shiftMs <= AHEAD_MS) return [own]
  const [first, last] = [minuteOf(sentAtMs), minuteOf(endedAtMs + LATE_MS)]
  return [...new Set([own, ...Array.from({ length: last - first + 1 }, (_, i) => first + i)])]
}

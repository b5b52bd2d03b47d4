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
  /** For how long a refused first login is repeated, in ms. */
  loginMs: number
}

const PAUSE_MS = 150
const READS_PER_MESSAGE = 8
/** Of the reads of a message. Each is the only one of its asset and minute, so that nothing hides its loss. */
const LATE_READS = 2
/** A time of a read counts if it is at most this far ahead of the broker (D8.6); less, for the way to it. */
const AHEAD_MS = 25_000

type Sighted = { assetId: number; readAtMs: number; minutes: readonly number[] }

/** One reader at work until it is told to stop. Every message is in the ledger, confirmed or not. */
export async function readAssets(reading: Reading): Promise<ReadCounts> {
  const { tenant, transport, port, isStopping, loginMs } = reading
  const counts = { confirmed: 0, unknown: 0 }
  const link = await connectReader({ transport, port, key: tenant.readerKey, loginMs })
  try {
    const late = lateReads(reading)
    while (!isStopping()) {
      const confirmed = await readOnce(link, reading, late)
      counts[confirmed ? 'confirmed' : 'unknown'] += READS_PER_MESSAGE
      await wait(PAUSE_MS)
    }
  } finally {
    await link.close()
  }
  return counts
}

/** Reads that a reader has kept for an hour or longer: they fill history (D8.7). Each has a minute of its own. */
function* lateReads({ tenant, transport }: Reading): Generator<Sighted> {
  const ids = [...tenant.tags.keys()]
  const newest = minuteOf(Date.now()) - 60
  for (let n = 0; ; n += 1) {
    const minute = newest - 2 * Math.floor(n / ids.length) - (transport === 'mqtt' ? 1 : 0)
    yield { assetId: ids[n % ids.length] ?? 0, readAtMs: minute * 60_000 + 30_000, minutes: [minute] }
  }
}

async function readOnce(link: ReaderLink, reading: Reading, late: Generator<Sighted>): Promise<boolean> {
  const { tenant, random, clockMs } = reading
  const gate = random.whole(0, tenant.locations.length - 1)
  const location = tenant.locations[gate]
  if (!location) throw new Error(`there is no gate ${gate}`)
  const ids = [...tenant.tags.keys()]
  const shiftMs = clockMs()
  const sentAtMs = Date.now()
  const readAtMs = sentAtMs + shiftMs
  const sighted: Sighted[] = Array.from({ length: LATE_READS }, () => late.next().value as Sighted)
  while (sighted.length < READS_PER_MESSAGE)
    sighted.push({ assetId: random.pick(ids), readAtMs, minutes: [] })
  const reads = sighted.map((one) => ({
    tag: { type: 'rfid', value: tenant.tags.get(one.assetId) },
    antenna: 1,
    read_at: new Date(one.readAtMs).toISOString(),
  }))
  const confirmed = await link.publish(`scans.${tenant.id}.gate-${gate}.canonical`, JSON.stringify({ reads }))
  const now = minutesOf(readAtMs, shiftMs, { sentAtMs, endedAtMs: Date.now() })
  for (const { assetId, minutes } of sighted) {
    const possible = minutes.length > 0 ? minutes : now
    for (const minute of possible)
      tenant.ledger.assets.get(assetId)?.read(minute, location.id, confirmed && possible.length === 1)
  }
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

import type { NatsConnection } from 'nats'
import { READER, tagValueOf, type Warehouse } from './warehouse.ts'

export const READS_PER_MESSAGE = 50

/** One message of a reader: its assets, its antenna, and its time (default: the broker's). */
type Message = { org: number; first: number; antenna: number; readAt?: string }

function bytesOf({ org, first, antenna, readAt }: Message, assetsPerOrg: number): string {
  const reads = Array.from({ length: READS_PER_MESSAGE }, (_, i) => ({
    tag: { type: 'rfid', value: tagValueOf(org, (first + i) % assetsPerOrg) },
    antenna,
    ...(readAt !== undefined && { read_at: readAt }),
    rssi_dbm: -54.5,
    read_count: 3,
  }))
  return JSON.stringify({ reads })
}

/** Publishes messages and resolves when SCANS has stored them. */
async function publish(nc: NatsConnection, warehouse: Warehouse, messages: Iterable<Message>): Promise<void> {
  const js = nc.jetstream()
  let sent = 0
  let held: { subject: string; body: string } | undefined
  for (const message of messages) {
    // The last one is acknowledged. On one connection, all before it are then stored, too.
    if (held && sent % 500 === 0) await js.publish(held.subject, held.body)
    else if (held) nc.publish(held.subject, held.body)
    held = {
      subject: `scans.${message.org}.${READER}.canonical`,
      body: bytesOf(message, warehouse.assetsPerOrg),
    }
    sent += 1
  }
  if (held) await js.publish(held.subject, held.body)
}

/**
 * Repeats the same assets at the same locations, each equally often: only the first read of a minute is new. With
 * `readAt`, only the first read of each asset is.
 */
export const publishRescans = (
  nc: NatsConnection,
  warehouse: Warehouse,
  messages: number,
  readAt?: string,
): Promise<void> =>
  publish(
    nc,
    warehouse,
    Array.from({ length: messages }, (_, i) => {
      const org = warehouse.orgs[i % warehouse.orgs.length] ?? 0
      const round = Math.floor(i / warehouse.orgs.length)
      const first = (round * READS_PER_MESSAGE) % warehouse.assetsPerOrg
      return { org, first, antenna: 1, ...(readAt !== undefined && { readAt }) }
    }),
  )

/** Reads that `publishNewMinutes` publishes for one minute. */
export const readsPerMinute = ({ orgs, assetsPerOrg }: Warehouse): number =>
  orgs.length * Math.ceil(assetsPerOrg / READS_PER_MESSAGE) * READS_PER_MESSAGE

type Minutes = { fromMinute: number; minutes: number; antennaOf?: (minute: number, first: number) => number }

/**
 * Every read is a new row: each asset once a minute from `fromMinute` (since 1970) on, in order of time. `antennaOf` says which antenna
 * sees the 50 assets of a message, numbered from `first`; by default, nothing moves.
 */
export function publishNewMinutes(
  nc: NatsConnection,
  warehouse: Warehouse,
  { fromMinute, minutes, antennaOf = () => 1 }: Minutes,
): Promise<void> {
  function* messages(): Generator<Message> {
    for (let minute = fromMinute; minute < fromMinute + minutes; minute += 1)
      for (const org of warehouse.orgs)
        for (let first = 0; first < warehouse.assetsPerOrg; first += READS_PER_MESSAGE)
          yield {
            org,
            first,
            antenna: antennaOf(minute, first),
            readAt: new Date(minute * 60_000 + 5_000).toISOString(),
          }
  }
  return publish(nc, warehouse, messages())
}

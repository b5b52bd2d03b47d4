import type { NatsConnection } from 'nats'
import { READER, tagValueOf, type Warehouse } from './warehouse.ts'

export const READS_PER_MESSAGE = 50

/** One message of a reader: which assets it saw, by which antenna, and when (left out: when the broker got it). */
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

/** Puts messages into SCANS and resolves when they are stored there. */
async function publish(
  nc: NatsConnection,
  warehouse: Warehouse,
  messages: Iterable<Message>,
): Promise<number> {
  const js = nc.jetstream()
  let sent = 0
  let last: Promise<unknown> | undefined
  for (const message of messages) {
    const subject = `scans.${message.org}.${READER}.canonical`
    const body = bytesOf(message, warehouse.assetsPerOrg)
    sent += 1
    if (sent % 500 === 0) await (last = js.publish(subject, body))
    else nc.publish(subject, body)
  }
  await nc.flush()
  await last
  return sent
}

/** The same assets again and again where they are: nothing but the first read of a minute is new. */
export const publishRescans = (nc: NatsConnection, warehouse: Warehouse, messages: number): Promise<number> =>
  publish(
    nc,
    warehouse,
    Array.from({ length: messages }, (_, i) => {
      const org = warehouse.orgs[i % warehouse.orgs.length] ?? 0
      const round = Math.floor(i / warehouse.orgs.length)
      return { org, first: (round * READS_PER_MESSAGE) % warehouse.assetsPerOrg, antenna: 1 }
    }),
  )

/**
 * Every read is a row that is not there yet: each asset once a minute from `fromMinute` (since 1970) on, in the order
 * of time. Answers how many messages that were.
 */
export function publishNewMinutes(
  nc: NatsConnection,
  warehouse: Warehouse,
  { fromMinute, minutes }: { fromMinute: number; minutes: number },
): Promise<number> {
  function* messages(): Generator<Message> {
    for (let minute = fromMinute; minute < fromMinute + minutes; minute += 1)
      for (const org of warehouse.orgs)
        for (let first = 0; first < warehouse.assetsPerOrg; first += READS_PER_MESSAGE)
          yield { org, first, antenna: 1, readAt: new Date(minute * 60_000 + 5_000).toISOString() }
  }
  return publish(nc, warehouse, messages())
}

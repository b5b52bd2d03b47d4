import type { NatsConnection } from 'nats'
import { assetIdOf, READER, tagValueOf } from '../ingest/warehouse.ts'

const GIVE_UP_MS = 30_000
/** Of so many scans, one raises an alert. */
const SCANS_PER_ALERT = 10

type Scans = {
  org: number
  /** Of the organization. */
  assets: number
  /** Where the rule watches, and where not. */
  antenna: number
  elsewhere: number
  /** Numbers of the assets that are read there, each once. */
  ids: readonly number[]
  /** Alerts. */
  perSecond: number
}

/** Publishes one read in a message at a fixed rate, and measures the milliseconds from each to its alert in EVENTS. */
export async function raise(
  nc: NatsConnection,
  { org, assets, antenna, elsewhere, ids, perSecond }: Scans,
): Promise<{ toAlert: number[]; seconds: number }> {
  const sentAt = new Map<number, number>()
  const toAlert: number[] = []
  const events = nc.subscribe(`events.alert-raised.${org}`, {
    callback: (_, message) => {
      const { subject } = message.json<{ alert: { subject: { id: number } } }>().alert
      const at = sentAt.get(subject.id)
      if (at !== undefined) toAlert.push(performance.now() - at)
      sentAt.delete(subject.id)
    },
  })
  await nc.flush()
  const send = (n: number, at: number) => {
    const body = { reads: [{ tag: { type: 'rfid', value: tagValueOf(org, n) }, antenna: at }] }
    nc.publish(`scans.${org}.${READER}.canonical`, JSON.stringify(body))
  }
  const started = performance.now()
  for (let sent = 0; sent < ids.length * SCANS_PER_ALERT;) {
    const due = ((performance.now() - started) / 1_000) * perSecond * SCANS_PER_ALERT
    for (; sent < Math.min(due, ids.length * SCANS_PER_ALERT); sent += 1) {
      const n = ids[sent / SCANS_PER_ALERT]
      if (n === undefined) send(assets - 1 - (sent % Math.floor(assets / 2)), elsewhere)
      else {
        sentAt.set(assetIdOf(org, n), performance.now())
        send(n, antenna)
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const seconds = (performance.now() - started) / 1_000
  for (const waiting = performance.now(); toAlert.length < ids.length;) {
    if (performance.now() - waiting > GIVE_UP_MS)
      throw new Error(`${ids.length - toAlert.length} alerts were missing in EVENTS after 30 s`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  events.unsubscribe()
  return { toAlert, seconds }
}

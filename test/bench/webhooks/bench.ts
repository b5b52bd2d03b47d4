import { setTimeout as wait } from 'node:timers/promises'
import { orgState } from '@whereabouts/contracts/messages/keys-state'
import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import { headersSignedWith } from '@whereabouts/testing/caller'
import { headers as natsHeaders, type NatsConnection } from 'nats'
import type { Pair } from '../against/rounds.ts'
import type { System } from '../against/systems.ts'
import { deliveryIdOf, orgIdOf, pathOf } from './events.ts'
import type { Receiver } from './receiver.ts'

/** A dispatcher, and events as its version publishes them. */
export type Side = { system: System; nc: NatsConnection; eventOf: (orgId: number, number: number) => string }

/** The input of every part of the benchmark. */
export type Bench = {
  /** Twice the same, if there is nothing to compare. */
  sides: Pair<Side>
  /** Of both, which take turns. */
  receiver: Receiver
  /** Organizations with a webhook each. */
  orgs: number
  rounds: number
  /** Scales all times; 1 is that of the published results. */
  effort: number
  inspectPort: number
  /** The number of the next event; the broker drops duplicates. */
  next: number
  say: (text: string) => void
}

export function dispatcherPid({ system }: Side): number {
  const { pid } = system.stack.service('webhook-dispatcher')
  if (pid === undefined) throw new Error('the webhook-dispatcher does not run')
  return pid
}

type Registration = { stack: Stack; nc: NatsConnection; receiver: Receiver; orgs: number }

/** Registers a webhook for each organization, with requests like the gateway's. */
export async function registerWebhooks({ stack, nc, receiver, orgs }: Registration): Promise<void> {
  const streams = nc.jetstream()
  for (let n = 0; n < orgs; n += 1) {
    // The state that keys would publish, which does not run here. Without it nothing is delivered.
    const state = { org_id: orgIdOf(n), revision: 1, name: 'Org', subscription_ends_at: null }
    await streams.publish(orgState.subject(state), JSON.stringify(state))
    const principal = { kind: 'session', orgId: orgIdOf(n), scopes: [], userId: 1, role: 'admin' } as const
    const signed = await headersSignedWith(
      stack.secrets.principal_private_key,
      principal,
      'webhook-dispatcher',
    )
    const response = await fetch(`${stack.urls.api['webhook-dispatcher']}/api/v1/webhooks`, {
      method: 'POST',
      headers: { ...signed, 'content-type': 'application/json' },
      body: JSON.stringify({ url: receiver.url + pathOf(n) }),
    })
    if (response.status !== 201) throw new Error(`a webhook was refused: ${await response.text()}`)
  }
}

/** Publishes the next event for that organization as tracking's outbox does; returns its number. */
function publish(bench: Bench, { nc, eventOf }: Side, org: number): number {
  const number = bench.next
  bench.next += 1
  const headers = natsHeaders()
  headers.set('Nats-Msg-Id', deliveryIdOf(number))
  nc.publish(`events.asset-moved.${orgIdOf(org)}`, eventOf(orgIdOf(org), number), { headers })
  return number
}

/** Few enough that the dispatcher drops none, and enough that it is never idle. */
const WINDOW = 2_000

/**
 * Delivers events of all organizations in turn, as fast as the dispatcher can. Resolves with the seconds from the first
 * arrival to the last.
 */
export async function deliverAll(bench: Bench, side: Side, deliveries: number): Promise<number> {
  const { receiver, orgs } = bench
  await receiver.report()
  for (let sent = 0; sent < deliveries;) {
    const room = Math.min(deliveries - sent, WINDOW - (sent - receiver.taken()))
    for (let i = 0; i < room; i += 1) publish(bench, side, (sent + i) % orgs)
    sent += Math.max(0, room)
    await wait(2)
  }
  await untilTaken(bench, deliveries)
  const { at, numbers } = await receiver.report()
  if (new Set(numbers).size !== deliveries || at.length !== deliveries)
    throw new Error(`${at.length} of ${deliveries} deliveries arrived`)
  return ((at.at(-1) ?? 0) - (at[0] ?? 0)) / 1000
}

const PATIENCE_MS = 60_000

export async function untilTaken({ receiver }: Bench, deliveries: number): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS
  while (receiver.taken() < deliveries) {
    if (performance.now() > giveUpAt)
      throw new Error(`${receiver.taken()} of ${deliveries} deliveries were accepted`)
    await wait(2)
  }
}

/** Milliseconds of the machine's monotonic clock, shared by all processes. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6

/**
 * Publishes to this checkout's dispatcher at a fixed rate, independent of arrivals. Returns the time at which each event was
 * due, by number.
 */
export async function publishAtRate(
  bench: Bench,
  { perSecond, seconds, orgs }: { perSecond: number; seconds: number; orgs: number },
): Promise<Map<number, number>> {
  const { now } = bench.sides
  const dueAt = new Map<number, number>()
  const total = Math.floor(perSecond * seconds)
  const startedAt = monotonicMs()
  for (let sent = 0; sent < total;) {
    const due = Math.min(total, Math.floor(((monotonicMs() - startedAt) / 1000) * perSecond) + 1)
    for (; sent < due; sent += 1)
      dueAt.set(publish(bench, now, sent % orgs), startedAt + (sent * 1000) / perSecond)
    await wait(1)
  }
  await now.nc.flush()
  return dueAt
}

import { setTimeout as wait } from 'node:timers/promises'
import { orgState } from '@whereabouts/contracts/messages/keys-state'
import type { Stack } from '@whereabouts/deploy/local/stack'
import { headersSignedWith } from '@whereabouts/testing/caller'
import { headers as natsHeaders, type NatsConnection } from 'nats'
import { monotonicMs } from './clock.ts'
import { deliveryIdOf, eventOf, orgIdOf, pathOf } from './events.ts'
import type { Floor } from './floor.ts'
import type { Receiver } from './receiver.ts'

/** The input of every part of the benchmark. */
export type Bench = {
  stack: Stack
  nc: NatsConnection
  receiver: Receiver
  floor: Floor
  /** Organizations with a webhook each. */
  orgs: number
  /** Scales all times; 1 is that of the published results. */
  effort: number
  inspectPort: number
  /** Aborts when the benchmark is interrupted. */
  signal: AbortSignal
  /** The number of the next event; the broker drops duplicates. */
  next: number
  say: (text: string) => void
}

export function dispatcherPid({ stack }: Bench): number {
  const { pid } = stack.service('webhook-dispatcher')
  if (pid === undefined) throw new Error('the webhook-dispatcher does not run')
  return pid
}

/** Registers a webhook for each organization, with requests like the gateway's. */
export async function registerWebhooks({ stack, nc, receiver, orgs, signal }: Bench): Promise<void> {
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
      signal,
    })
    if (response.status !== 201) throw new Error(`a webhook was refused: ${await response.text()}`)
  }
}

/** Publishes the next event for that organization as tracking's outbox does; returns its number. */
function publish(bench: Bench, org: number): number {
  const number = bench.next
  bench.next += 1
  const headers = natsHeaders()
  headers.set('Nats-Msg-Id', deliveryIdOf(number))
  bench.nc.publish(`events.asset-moved.${orgIdOf(org)}`, eventOf(orgIdOf(org), number), { headers })
  return number
}

/** Few enough that the dispatcher drops none, and enough that it is never idle. */
const WINDOW = 2_000

/** Delivers events of all organizations in turn, as fast as the dispatcher can. */
export async function deliverAll(bench: Bench, deliveries: number): Promise<void> {
  const { receiver, orgs } = bench
  for (let sent = 0; sent < deliveries;) {
    const room = Math.min(deliveries - sent, WINDOW - (sent - receiver.taken()))
    for (let i = 0; i < room; i += 1) publish(bench, (sent + i) % orgs)
    sent += Math.max(0, room)
    await wait(2, undefined, { signal: bench.signal })
  }
  await untilTaken(bench, deliveries)
}

const PATIENCE_MS = 60_000

export async function untilTaken({ receiver, signal }: Bench, deliveries: number): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS
  while (receiver.taken() < deliveries) {
    if (performance.now() > giveUpAt)
      throw new Error(`${receiver.taken()} of ${deliveries} deliveries were accepted`)
    await wait(2, undefined, { signal })
  }
}

/** Publishes at a fixed rate, independent of arrivals. Returns the time at which each event was due, by number. */
export async function publishAtRate(
  bench: Bench,
  { perSecond, seconds, orgs }: { perSecond: number; seconds: number; orgs: number },
): Promise<Map<number, number>> {
  const dueAt = new Map<number, number>()
  const total = Math.floor(perSecond * seconds)
  const startedAt = monotonicMs()
  for (let sent = 0; sent < total;) {
    const due = Math.min(total, Math.floor(((monotonicMs() - startedAt) / 1000) * perSecond) + 1)
    for (; sent < due; sent += 1)
      dueAt.set(publish(bench, sent % orgs), startedAt + (sent * 1000) / perSecond)
    await wait(1, undefined, { signal: bench.signal })
  }
  await bench.nc.flush()
  return dueAt
}

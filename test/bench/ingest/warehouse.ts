import type { NatsConnection } from 'nats'
import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import { asOwner } from '../load/database.ts'

/** Organizations with equally many assets, one tag on each, and one reader whose antennas (default: two) are at as many docks. */
export type Warehouse = { orgs: number[]; assetsPerOrg: number; antennas?: number }

export const READER = 'gate'
const antennasOf = (count: number) => Array.from({ length: count }, (_, i) => i + 1)
export const assetIdOf = (org: number, n: number): number => org * 10_000_000 + n
export const locationIdOf = (org: number, antenna: number) => org * 10_000_000 + 9_000_000 + antenna
export const tagValueOf = (org: number, n: number): string =>
  (BigInt('0xE28011606000020A00000000') + BigInt(assetIdOf(org, n))).toString(16).toUpperCase()

const LONG_AGO = '2020-01-01T00:00:00.000Z'
const shared = (org_id: number, id: number, external_key: string) => ({
  org_id,
  id,
  revision: 1,
  external_key,
  name: external_key,
  description: null,
  is_active: true,
  valid_from: LONG_AGO,
  valid_to: null,
  created_at: LONG_AGO,
  updated_at: LONG_AGO,
  deleted_at: null,
})

/** The client id of the n-th key of an organization, counted from 1. */
export const keyIdOf = (org: number, n: number): string =>
  `00000000-0000-4000-8000-${String(org * 1_000 + n).padStart(12, '0')}`

const AT_ONCE = 500

/**
 * Stores states in their streams. Waits for acknowledgements: the broker drops messages without a word while 10 000 of a stream
 * wait for the disk, and a tag without a state is unknown for the whole measurement.
 */
function statePublisher(nc: NatsConnection) {
  const js = nc.jetstream()
  const sent: Promise<unknown>[] = []
  const stored = async () => void (await Promise.all(sent.splice(0)))
  return {
    send: async (subject: string, state: object): Promise<void> => {
      sent.push(js.publish(subject, JSON.stringify(state), { timeout: 30_000 }))
      if (sent.length >= AT_ONCE) await stored()
    },
    stored,
  }
}

/** Publishes the states of keys of an organization, as keys does. Default: the standard rate. */
export async function announceKeys(
  nc: NatsConnection,
  org: number,
  keys: number,
  messagesPerSecond?: number,
): Promise<void> {
  const { send, stored } = statePublisher(nc)
  for (let n = 1; n <= keys; n += 1) {
    const jti = keyIdOf(org, n)
    const state = {
      org_id: org,
      id: org * 1_000 + n,
      jti,
      revision: 1,
      name: 'bench',
      scopes: ['scans:write'],
      expires_at: null,
      revoked_at: null,
      rate_limit_per_minute: null,
      message_rate_per_second: messagesPerSecond ?? null,
    }
    await send(`keys.key.${jti}`, state)
  }
  await stored()
}

/** More than a benchmark sends. */
const NO_LIMIT = 100_000

/**
 * Publishes the states of the warehouse on CATALOG, as catalog does. Resolves when tracking has stored them; the same
 * stream fills its view in memory. With `keys`, each organization can send any number of messages.
 */
export async function announce(
  nc: NatsConnection,
  { orgs, assetsPerOrg, antennas = 2 }: Warehouse,
  { keys = true } = {},
): Promise<void> {
  const { send, stored } = statePublisher(nc)
  for (const org of orgs) {
    if (keys) await announceKeys(nc, org, 1, NO_LIMIT)
    for (const antenna of antennasOf(antennas)) {
      const id = locationIdOf(org, antenna)
      await send(`catalog.location.${org}.${id}`, { ...shared(org, id, `DOCK-${antenna}`), parent_id: null })
    }
    for (let n = 0; n < assetsPerOrg; n += 1) {
      const id = assetIdOf(org, n)
      await send(`catalog.asset.${org}.${id}`, {
        ...shared(org, id, `BOX-${n}`),
        type: 'asset',
        metadata: {},
      })
      const tag = {
        org_id: org,
        id: id + 5_000_000,
        revision: 1,
        tag_type: 'rfid',
        value: tagValueOf(org, n),
      }
      const owner = { asset_id: id, location_id: null, created_at: LONG_AGO, deleted_at: null }
      await send(`catalog.tag.${org}.${tag.id}`, { ...tag, ...owner })
    }
  }
  await stored()
  await drained(nc, 'CATALOG', 'tracking-catalog')
}

/** Publishes the states of the locations of an organization. Resolves when tracking has stored them. */
export async function announceLocations(
  nc: NatsConnection,
  org: number,
  locations: readonly { id: number; key: string; parent: number | null }[],
): Promise<void> {
  const { send, stored } = statePublisher(nc)
  for (const { id, key, parent } of locations)
    await send(`catalog.location.${org}.${id}`, { ...shared(org, id, key), parent_id: parent })
  await stored()
  await drained(nc, 'CATALOG', 'tracking-catalog')
}

/** Stores the readers, as if their organizations had configured them. */
export async function configureReaders(stack: Stack, orgs: readonly number[], antennas = 2): Promise<void> {
  await asOwner(stack, 'tracking', async (client) => {
    for (const org of orgs) {
      const reader = `insert into reader (org_id, reader_key, name, format) values ($1, $2, 'Gate', 'canonical') returning id`
      const { rows } = await client.query<{ id: string }>(reader, [org, READER])
      for (const antenna of antennasOf(antennas))
        await client.query(
          `insert into scan_point (org_id, reader_id, antenna, name, location_id) values ($1, $2, $3, 'antenna', $4)`,
          [org, rows[0]?.id, antenna, locationIdOf(org, antenna)],
        )
    }
  })
}

/** Restarts it, because it does not know readers that were stored by SQL. */
export async function restartTracking(stack: Stack): Promise<void> {
  const tracking = stack.service('tracking')
  await tracking.kill('SIGTERM')
  tracking.start()
  await tracking.waitReady()
}

/** Resolves when a durable has acknowledged everything in its stream. */
async function drained(nc: NatsConnection, stream: string, durable: string): Promise<void> {
  const jsm = await nc.jetstreamManager()
  const until = Date.now() + 15 * 60_000
  for (;;) {
    const { num_pending, num_ack_pending } = await jsm.consumers.info(stream, durable)
    if (num_pending === 0 && num_ack_pending === 0) return
    if (Date.now() > until) throw new Error(`${durable} has ${num_pending} messages left after 15 minutes`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

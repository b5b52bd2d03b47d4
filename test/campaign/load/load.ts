import type { RevokedKey } from './keys.ts'
import { turnOverKeys } from './keys.ts'
import type { Delivery } from '../ledger/ledger.ts'
import type { Thing } from '../ledger/things.ts'
import { randomOf } from '../plan/random.ts'
import { TRANSPORTS } from '../plan/targets.ts'
import type { CampaignSystem } from '../system/campaign-system.ts'
import type { ReaderClocks } from '../system/inject.ts'
import type { Caller } from './caller.ts'
import { receiveDeliveries } from './deliveries.ts'
import { lookUp } from './lookups.ts'
import { writeOldHistory, type OldHistory } from './old-history.ts'
import { readAssets, type ReadCounts } from './reads.ts'
import { saveLocations, type Work } from './saves.ts'
import type { Tenant } from './tenant.ts'
import { writeThings } from './writes.ts'

/** What the clients of a round have done. */
export type Done = { reads: ReadCounts; things: Thing[]; revoked: RevokedKey[]; old: OldHistory }

export type Load = {
  deliveries: Delivery[]
  /** Rejects as soon as a client fails, with its cause. Never resolves. */
  failed: Promise<never>
  /** Stops all clients, and waits for their last requests. */
  stop(): Promise<Done>
}

export type LoadOptions = {
  system: CampaignSystem
  tenants: readonly Tenant[]
  caller: Caller
  seed: number
  clocks: ReaderClocks
  loginMs: number
}

/** Steady, seeded traffic of all organizations: about 300 reads and 60 requests a second; and old history. */
export function startLoad({ system, tenants, caller, seed, clocks, loginMs }: LoadOptions): Load {
  let stopping = false
  const isStopping = () => stopping
  const deliveries = receiveDeliveries(system.receiver, tenants)
  const work = (tenant: Tenant, purpose: string): Work => ({
    tenant,
    caller,
    random: randomOf(seed, `${purpose} ${tenant.n}`),
    isStopping,
  })
  const readings = tenants.flatMap((tenant) =>
    TRANSPORTS.map((transport) => {
      const link = `reader-${tenant.n}-${transport}>broker`
      const { random } = work(tenant, transport)
      const port = system.links.get(link)?.port ?? 0
      const clockMs = () => clocks.get(link) ?? 0
      return readAssets({ tenant, transport, port, random, clockMs, isStopping, loginMs })
    }),
  )
  const things = tenants.flatMap((tenant) => [
    writeThings(work(tenant, 'assets'), 'assets', `A${tenant.n}`),
    writeThings(work(tenant, 'locations'), 'locations', `L${tenant.n}`),
  ])
  const keys = tenants.map((tenant) => turnOverKeys(work(tenant, 'keys')))
  const others = tenants.flatMap((tenant) => [
    saveLocations(work(tenant, 'saves')),
    lookUp(work(tenant, 'lookups')),
  ])
  const old = writeOldHistory({ stack: system.stack, tenants, seed, isStopping })
  const all = Promise.all([
    Promise.all(readings),
    Promise.all(things),
    Promise.all(keys),
    old,
    Promise.all(others),
  ])
  const { promise: failed, reject } = Promise.withResolvers<never>()
  all.catch(reject)
  failed.catch(() => undefined) // also seen by stop()
  return {
    deliveries,
    failed,
    async stop() {
      stopping = true
      await Promise.allSettled([...readings, ...things, ...keys, old, ...others])
      const [reads, written, revoked, oldHistory] = await all
      const sum = (what: keyof ReadCounts) => reads.reduce((total, counts) => total + counts[what], 0)
      return {
        reads: { confirmed: sum('confirmed'), unknown: sum('unknown') },
        things: written.flat(),
        revoked: revoked.flat(),
        old: oldHistory,
      }
    },
  }
}

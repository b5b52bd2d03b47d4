import type { Verdict } from '../load/verdict.ts'
import { median, table } from '../load/figures.ts'
import { trackingOf, type Bench } from './bench.ts'
import { drainInTurn } from './drain.ts'
import { verdict } from './pairs.ts'
import { publishRescans, READS_PER_MESSAGE } from './reads.ts'
import { announce, configureReaders, restartTracking, type Warehouse } from './warehouse.ts'

const FEW_ORGS: Warehouse = { orgs: range(2_001, 10), assetsPerOrg: 100 }
const MANY_ORGS: Warehouse = { orgs: range(3_001, 1_000), assetsPerOrg: 100 }
const MANY_ASSETS: Warehouse = { orgs: range(5_001, 10), assetsPerOrg: 100_000 }

/** Rescans of a small, a many-tenant and a large warehouse in turn, in one process that knows them all. */
export async function measureScale(bench: Bench): Promise<Verdict[]> {
  const { stack, nc, settings, say } = bench
  const warehouses = { FEW_ORGS, MANY_ORGS, MANY_ASSETS }
  for (const [name, warehouse] of Object.entries(warehouses)) {
    say(`Announcing to tracking: ${name.toLowerCase().replace('_', ' ')} …\n`)
    await configureReaders(stack, warehouse.orgs)
    await announce(nc, warehouse)
  }
  await restartTracking(stack)
  // One instant, which is stored in the first round: every later read is a repetition.
  const readAt = new Date(Date.now() - 3_600_000).toISOString()
  const costs = Object.values(warehouses).map((): number[] => [])
  for (let round = 0; round <= settings.rounds; round += 1)
    for (const [i, warehouse] of Object.values(warehouses).entries()) {
      const messages = Math.max(settings.messages, assetsOf(warehouse) / READS_PER_MESSAGE)
      const [drained] = await drainInTurn(nc, [trackingOf(stack)], () =>
        publishRescans(nc, warehouse, messages, readAt),
      )
      if (round > 0 && drained) costs[i]?.push((drained.seconds * 1e6) / (messages * READS_PER_MESSAGE))
    }
  const [few = 0, manyOrgs = 0, manyAssets = 0] = costs.map(median)
  say(
    `\nCost of a rescan by size, in one process that knows all three\n${table([
      ['organizations', 'assets', 'µs a read'],
      ['10', '1,000', few.toFixed(2)],
      ['1,000', '100,000', manyOrgs.toFixed(2)],
      ['10', '1,000,000', manyAssets.toFixed(2)],
    ])}\n`,
  )
  return [
    verdict('cost of a read, 1,000 organizations ÷ 10', '≤ 1.5', manyOrgs / few, (r) => r <= 1.5),
    verdict('cost of a read, 1,000,000 assets ÷ 1,000', '≤ 1.5', manyAssets / few, (r) => r <= 1.5),
  ]
}

const assetsOf = ({ orgs, assetsPerOrg }: Warehouse) => orgs.length * assetsPerOrg

function range(from: number, length: number): number[] {
  return Array.from({ length }, (_, i) => from + i)
}

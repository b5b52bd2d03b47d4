import { foldAssetCounts } from '@whereabouts/db/schema/asset-counts'
import { fc, limits, timeLimit } from '@whereabouts/testing/fuzz'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { minuteOf } from '../../../positions/observation.ts'
import { readBy } from '../../../../test/read-by.ts'
import { store } from '../../../../test/store.ts'
import { test, type Tracking } from '../../../../test/tracking.fixture.ts'
import { readAssetLocations } from './asset-locations.queries.ts'
import { LATEST_FIRST } from './filter.ts'

const steps = ['create', 'read', 'delete', 'restore', 'window', 'project', 'lose', 'fold'] as const
const history = fc.array(
  fc.record({ kind: fc.constantFrom(...steps), org: fc.constantFrom(1, 2), pick: fc.nat(100) }),
  { minLength: 10, maxLength: 40 },
)

/** What happens to an asset of an organization. `lose` is an asset that the projection has lost and gets again. */
async function happen(
  tracking: Tracking,
  { kind, org, pick }: { kind: (typeof steps)[number]; org: number; pick: number },
) {
  const { catalog, db, view, worker } = tracking
  const own = catalog.assets.filter(({ org_id }) => org_id === org)
  const asset = own[pick % Math.max(1, own.length)] ?? catalog.asset(org, `First of ${org}`)
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()
  const ways = {
    create: async () => void catalog.asset(org, `Crate ${own.length}`),
    read: () => {
      const observedAtMs = Date.now() - pick * 60_000
      const minute = minuteOf(observedAtMs)
      return store(db, view, [{ orgId: org, assetId: asset.id, minute, observedAtMs, locationId: null, ...readBy('r') }])
    },
    delete: async () => catalog.change(asset, { deleted_at: at(0) }),
    restore: async () => catalog.change(asset, { deleted_at: null }),
    window: async () => catalog.change(asset, pick % 2 === 0 ? { valid_to: at(-1) } : { valid_to: null }),
    project: () => tracking.project(),
    lose: () => sql`delete from asset where org_id = ${org} and id = ${asset.id}`.execute(db),
    fold: () => Promise.all([foldAssetCounts(worker.db), foldAssetCounts(worker.db)]),
  } // oxfmt-ignore
  await ways[kind]()
}

test(
  'D4.11 the kept total equals the number of rows, whatever is read, deleted, restored, lost and folded',
  { timeout: timeLimit(60_000) },
  async ({ tracking }) => {
    const totals = async (org: number) => {
      const filter = { limit: 1, offset: 0, sort: LATEST_FIRST, includeDeleted: false }
      const { total } = await readAssetLocations(tracking.tenants.forOrg(org), org, filter)
      const { rows } = await sql<{ n: number }>`select count(*) as n from asset where org_id = ${org} and is_scanned
        and deleted_at is null and valid_from <= now() and (valid_to is null or valid_to > now())`.execute(tracking.db)
      return [total, rows[0]?.n]
    } // oxfmt-ignore
    const property = fc.asyncProperty(history, async (happened) => {
      for (const step of happened) await happen(tracking, step)
      for (const org of [1, 2]) {
        const [kept, counted] = await totals(org)
        expect(kept).toBe(counted)
      }
    })
    await fc.assert(property, { ...limits(15), endOnFailure: true })
    expect((await totals(1))[0]).toBeGreaterThan(0)
  },
)

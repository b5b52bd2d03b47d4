import { fc, limits } from '@whereabouts/testing/fuzz'
import { sql, type Kysely } from 'kysely'
import { expect } from 'vitest'
import { up as fill } from '../../migrations/0071_fill_movement.ts'
import { readBy } from '../../test/read-by.ts'
import { noRules, store } from '../../test/store.ts'
import { test, type Tracking } from '../../test/tracking.fixture.ts'
import { lockPositions } from '../positions/lock-positions.queries.ts'
import { NOT_READ } from '../positions/cause.ts'
import { minuteOf, type Observation } from '../positions/observation.ts'
import { DEFAULT_RULES } from '../positions/rules.ts'
import { storeSaves } from './rows/store.ts'

const MINUTE = 60_000
/** The minutes before the next month. The first two rows of a run may be in this month and the others in the next one. */
const ZERO =
  new Date(new Date().setUTCMonth(new Date().getUTCMonth() + 1, 1)).setUTCHours(0, 0, 0, 0) - 2 * MINUTE

const rowOf = fc
  .record({
    orgId: fc.constantFrom(1, 2),
    assetId: fc.constantFrom(1, 2, 3),
    at: fc.nat({ max: 6 * MINUTE - 1 }),
    locationId: fc.constantFrom(null, 7, 8),
  })
  .map(({ at, ...row }) => Object.assign(row, { observedAtMs: ZERO + at, minute: minuteOf(ZERO + at) }))
type Row = Omit<Observation, keyof ReturnType<typeof readBy>>
const rows = fc.uniqueArray(rowOf, { minLength: 1, maxLength: 8, selector: keyOf })
function keyOf({ orgId, assetId, minute }: Row): string {
  return `${orgId} ${assetId} ${minute}`
}

/** `older`: as the release before migration 0070 writes. */
const writing = fc.record({ how: fc.constantFrom('scan', 'save', 'older'), rows })
const SAVED = { ...NOT_READ, rssi: null, isJudged: false }
const writings = fc.array(
  fc.array(writing, { minLength: 1, maxLength: 2 }), // each list at once
  { minLength: 1, maxLength: 8, size: 'max' },
)

/** Assets of both organizations have the same ids in the rules, so each organization is written apart. */
async function write(
  { db, view }: Tracking,
  { how, rows: all }: { how: string; rows: readonly Row[] },
): Promise<void> {
  for (const orgId of [1, 2]) {
    const written = all.filter((row) => row.orgId === orgId)
    if (how === 'scan')
      await store(db, view, written.map((row) => Object.assign({}, row, readBy('r')))) // oxfmt-ignore
    else if (how === 'older') await writeAlone(db, written)
    else
      await db.transaction().execute(async (tx) => {
        const current = await lockPositions(tx, written)
        const saved = written.filter(({ locationId }) => locationId !== null)
        await storeSaves(tx, { view, rulesOf: () => DEFAULT_RULES, book: noRules(db, view) }, current, saved.map((row) => Object.assign({}, row, SAVED))) // oxfmt-ignore
      })
  }
}

/** Rows of `scan` and positions under their lock, with the trigger. */
const writeAlone = (db: Tracking['db'], written: readonly Row[]) =>
  db.transaction().execute(async (tx) => {
    await lockPositions(tx, written)
    await sql`set local whereabouts.writes_movements = 'off'`.execute(tx)
    for (const { orgId, assetId, observedAtMs, locationId } of written) {
      const at = new Date(observedAtMs).toISOString()
      await sql`
        insert into scan (org_id, asset_id, minute, observed_at, location_id)
        values (${orgId}, ${assetId}, date_trunc('minute', ${at}::timestamptz), ${at}, ${locationId})
        on conflict (org_id, asset_id, minute) do update set
          observed_at = excluded.observed_at, location_id = excluded.location_id`.execute(tx)
      await sql`
        update position set minute = date_trunc('minute', ${at}::timestamptz), observed_at = ${at},
          location_id = ${locationId}
        where org_id = ${orgId} and asset_id = ${assetId} and minute <= ${at}::timestamptz`.execute(tx)
    }
  })

const stored = async ({ db }: Tracking) =>
  (await sql`select * from movement order by org_id, asset_id, minute`.execute(db)).rows

const computed = async ({ db }: Tracking) => {
  const { rows: fresh } = await sql`
    select org_id, asset_id, minute, observed_at, from_location_id, to_location_id from (
      select *, location_id as to_location_id,
             lag(location_id) over (partition by org_id, asset_id order by minute) as from_location_id
      from scan) s
    where to_location_id is not null and to_location_id is distinct from from_location_id
    order by org_id, asset_id, minute`.execute(db)
  return fresh
}

test('D17.7 after any scans, late rows and saves at once, the movements are those of the history', async ({
  tracking,
}) => {
  const property = fc.asyncProperty(writings, async (all) => {
    await sql`truncate scan, movement, position, asset_place, outbox`.execute(tracking.db)
    for (const atOnce of all) {
      await Promise.all(atOnce.map((one) => write(tracking, one)))
      expect(await stored(tracking)).toEqual(await computed(tracking))
    }
    const before = await stored(tracking)
    await sql`delete from movement where asset_id <> 2`.execute(tracking.db)
    await fill(tracking.db as unknown as Kysely<unknown>)
    await fill(tracking.db as unknown as Kysely<unknown>)
    expect(await stored(tracking)).toEqual(before)
  })
  await fc.assert(property, limits(60, 20_000))
})

import { bigints, instants } from '@whereabouts/db/tenant/array-parameters'
import { sql } from 'kysely'
import type { Tx } from '../../db.ts'
import type { Movement } from '../../positions/movements.ts'
import type { Minute, Observation } from '../../positions/observation.ts'
import type { OldDays, OldRow } from '../../positions/packed/old-days.ts'
import type { AssetKey } from '../../positions/position.ts'

/** Stores movements to rows that are newer than all other rows of their assets. Call under `lockPositions`. */
export async function insertMovements(tx: Tx, movements: readonly Movement[]): Promise<void> {
  if (movements.length === 0) return
  const rows = movements.map(({ to }) => to)
  await sql`
    insert into movement (org_id, asset_id, minute, observed_at, from_location_id, to_location_id)
    select org_id, asset_id, minute, observed_at, from_location_id, to_location_id from unnest(
      ${bigints(rows.map((row) => row.orgId))}, ${bigints(rows.map((row) => row.assetId))},
      ${minutes(rows)}, ${instants(rows.map((row) => row.observedAtMs))},
      ${bigints(movements.map((movement) => movement.fromLocationId))}, ${bigints(rows.map((row) => row.locationId))}
    ) as n (org_id, asset_id, minute, observed_at, from_location_id, to_location_id)`.execute(tx)
}

/**
 * Corrects the movements at these rows and at the row after each of them. For rows that are not the newest of their
 * asset, and for those that replaced it. Call under `lockPositions`, after the rows are stored.
 */
export async function repairMovements(tx: Tx, old: OldDays, all: readonly Observation[]): Promise<void> {
  if (all.length === 0) return
  const { packed, rows } = await old.split(all)
  await repairOldMovements(tx, old, packed)
  if (rows.length === 0) return
  await sql`select repair_movements(
    ${bigints(rows.map((row) => row.orgId))}, ${bigints(rows.map((row) => row.assetId))}, ${minutes(rows)})`.execute(
    tx,
  )
}

/** A row, and where its asset was before it. */
type Step = AssetKey & OldRow & { fromId: number | null }

/** What `repair_movements` does for rows that are packed. The row after the last packed one may be a row of `scan`. */
async function repairOldMovements(tx: Tx, old: OldDays, changed: readonly Observation[]): Promise<void> {
  if (changed.length === 0) return
  const steps = changed.flatMap(({ orgId, assetId, minute }): Step[] => {
    const key = { orgId, assetId, minute }
    const row = old.rowUpTo(key)
    const next = old.rowAfter(key)
    const before = old.rowUpTo({ ...key, minute: minute - 1 })
    return [
      ...(row ? [{ ...key, ...row, fromId: before?.locationId ?? null }] : []),
      ...(row && next ? [{ ...key, ...next, fromId: row.locationId }] : []),
    ]
  })
  const unique = [
    ...new Map(steps.map((step) => [`${step.orgId} ${step.assetId} ${step.minute}`, step])).values(),
  ]
  await writeSteps(tx, unique)
}

/** Makes the movements at these rows what the rows say. Call under `lockPositions`. */
export async function writeSteps(tx: Tx, steps: readonly Step[]): Promise<void> {
  const moved = steps.filter(({ locationId, fromId }) => locationId !== null && locationId !== fromId)
  const gone = steps.filter((step) => !moved.includes(step))
  await sql`
    delete from movement m using unnest(
      ${bigints(gone.map((step) => step.orgId))}, ${bigints(gone.map((step) => step.assetId))}, ${minutes(gone)}
    ) as g (org_id, asset_id, minute)
    where m.org_id = g.org_id and m.asset_id = g.asset_id and m.minute = g.minute`.execute(tx)
  await sql`
    insert into movement (org_id, asset_id, minute, observed_at, from_location_id, to_location_id)
    select * from unnest(
      ${bigints(moved.map((step) => step.orgId))}, ${bigints(moved.map((step) => step.assetId))}, ${minutes(moved)},
      ${instants(moved.map((step) => step.observedAtMs))},
      ${bigints(moved.map((step) => step.fromId))}, ${bigints(moved.map((step) => step.locationId))})
    on conflict (org_id, asset_id, minute) do update set
      observed_at = excluded.observed_at, from_location_id = excluded.from_location_id,
      to_location_id = excluded.to_location_id`.execute(tx)
}

const minutes = (rows: readonly { minute: Minute }[]) => instants(rows.map(({ minute }) => minute * 60_000))

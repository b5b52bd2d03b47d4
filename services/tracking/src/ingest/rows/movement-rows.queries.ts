import { bigints, instants } from '@whereabouts/db/tenant/array-parameters'
import { sql } from 'kysely'
import type { Tx } from '../../db.ts'
import type { Movement } from '../../positions/movements.ts'
import type { Observation } from '../../positions/observation.ts'

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
export async function repairMovements(tx: Tx, rows: readonly Observation[]): Promise<void> {
  if (rows.length === 0) return
  await sql`select repair_movements(
    ${bigints(rows.map((row) => row.orgId))}, ${bigints(rows.map((row) => row.assetId))}, ${minutes(rows)})`.execute(
    tx,
  )
}

const minutes = (rows: readonly Observation[]) => instants(rows.map(({ minute }) => minute * 60_000))

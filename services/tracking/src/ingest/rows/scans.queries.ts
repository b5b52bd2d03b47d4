import { bigints, instants, texts } from '@whereabouts/db/tenant/array-parameters'
import { fixedPlan } from '@whereabouts/db/tenant/tenant-database'
import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '../../db.ts'
import type { RowBefore } from '../../positions/decide.ts'
import type { Outvoted } from '../../positions/evidence.ts'
import type { AssetKey, Position } from '../../positions/position.ts'
import type { Minute, Observation } from '../../positions/observation.ts'
import type { OldDays } from '../../positions/packed/old-days.ts'
import { PACKED_UNTIL, PACKED_UNTIL_DAY } from '../../positions/packed/packing-state.queries.ts'
import { epochMinute, epochMs } from '../../sql-times.ts'

/**
 * Stores the observations and returns those that became a row. That is so if the minute had no row, or if its row has
 * no location and the observation has one: a minute records its first location. Expects one observation per asset and
 * minute. Call under `lockPositions`.
 */
export async function insertScans(tx: Tx, old: OldDays, all: readonly Observation[]): Promise<Observation[]> {
  const { packed, rows: observations } = await old.split(all, true)
  const ofOldDays = await old.insert(packed)
  return observations.length === 0 ? ofOldDays : [...ofOldDays, ...(await insertRows(tx, observations))]
}

async function insertRows(tx: Tx, observations: readonly Observation[]): Promise<Observation[]> {
  const { rows } = await sql<RowKey>`
    with offered as materialized (${rowsOf(observations.toSorted(byKey))}),
    inserted as (
      insert into scan (${columns}) select ${columns} from offered
      on conflict (org_id, asset_id, minute) do nothing
      returning org_id, asset_id, minute)
    select o.asset_id, ${epochMinute('o.minute')} as minute from offered o
    where not exists (
      select from inserted i where i.org_id = o.org_id and i.asset_id = o.asset_id and i.minute = o.minute)`.execute(
    tx,
  )
  if (rows.length === 0) return [...observations]
  const there = new Set(matching(observations, rows))
  const inserted = observations.filter((o) => !there.has(o))
  const rest = observations.filter((o) => there.has(o) && o.locationId !== null)
  return rest.length === 0 ? inserted : [...inserted, ...(await placeScans(tx, rest))]
}

/** In the order of the primary key, so that neighbors in its index are written one after the other. */
const byKey = (a: Observation, b: Observation) =>
  a.orgId - b.orgId || a.assetId - b.assetId || a.minute - b.minute

/** Not `on conflict do update`, which would lock, and so write, every existing row. */
async function placeScans(tx: Tx, observations: readonly Observation[]): Promise<Observation[]> {
  const { rows } = await sql<RowKey>`
    update scan s set
      observed_at = n.observed_at, location_id = n.location_id, ${causeFrom('n')}
    from (${rowsOf(observations)}) n
    where s.org_id = n.org_id and s.asset_id = n.asset_id and s.minute = n.minute and s.location_id is null
    returning s.asset_id, ${epochMinute('s.minute')} as minute`.execute(tx)
  return matching(observations, rows)
}

/** Stores the observations over existing rows, because a save overrides its minute. */
export async function overwriteScans(tx: Tx, old: OldDays, all: readonly Observation[]): Promise<void> {
  const { packed, rows: observations } = await old.split(all, true)
  await old.write(packed)
  if (observations.length === 0) return
  await sql`${fixedPlan}
    insert into scan (${columns}) ${rowsOf(observations)}
    on conflict (org_id, asset_id, minute) do update set
      observed_at = excluded.observed_at, location_id = excluded.location_id, ${causeFrom('excluded')}`.execute(
    tx,
  )
}

type RowKey = { asset_id: number; minute: number }

function matching(observations: readonly Observation[], rows: readonly RowKey[]): Observation[] {
  const keys = new Set(rows.map((row) => `${row.asset_id} ${row.minute}`))
  return observations.filter((o) => keys.has(`${o.assetId} ${o.minute}`))
}

const CAUSE = [
  'reader_key', 'antenna', 'tag_id', 'location_key', 'scan_point_id', 'empty_scan_point_id', 'outvoted', 'carried_from',
] // oxfmt-ignore
const columns = sql.raw(`org_id, asset_id, minute, observed_at, location_id, ${CAUSE.join(', ')}`)

/** An update of a row's location also updates its cause. */
const causeFrom = (row: string) => sql.raw(CAUSE.map((column) => `${column} = ${row}.${column}`).join(', '))

const rowsOf = (rows: readonly Observation[]): RawBuilder<unknown> => sql`
  select org_id, asset_id, minute, observed_at, location_id, reader_key, antenna::int, tag_id, location_key,
         case when location_id is not null then scan_point_id end as scan_point_id,
         case when location_id is null then scan_point_id end as empty_scan_point_id, outvoted, carried_from
  from unnest(
    ${bigints(rows.map((o) => o.orgId))}, ${bigints(rows.map((o) => o.assetId))},
    ${minutes(rows)}, ${instants(rows.map((o) => o.observedAtMs))},
    ${bigints(rows.map((o) => o.locationId))}, ${texts(rows.map((o) => o.readerKey))},
    ${bigints(rows.map((o) => o.antenna))}, ${bigints(rows.map((o) => o.tagId))},
    ${texts(unlessAllNull(rows.map((o) => o.locationKey)))}, ${bigints(rows.map((o) => o.scanPointId))},
    ${jsons(unlessAllNull(rows.map((o) => o.outvoted ?? null)))},
    ${instants(unlessAllNull(rows.map((o) => o.carriedFromMs ?? null)))}
  ) as u (org_id, asset_id, minute, observed_at, location_id, reader_key, antenna, tag_id, location_key, scan_point_id,
          outvoted, carried_from)`

/** `jsonb[]`. */
const jsons = (values: readonly (object | null)[]) =>
  sql`${texts(values.map((value) => value && JSON.stringify(value)))}::jsonb[]`

/** `unnest` pads a shorter list with null. Few messages have a location key. */
const unlessAllNull = <T>(values: readonly (T | null)[]) =>
  values.every((value) => value === null) ? [] : values

const minutes = (rows: readonly { minute: Minute }[]) => instants(rows.map(({ minute }) => minute * 60_000))

/** A position to write. `carryAtMs`: when its waiting read becomes an observation of the next minute. */
export type PositionWrite = Position & { carryAtMs: number | null }

/**
 * Call under `lockPositions`. Even without the lock, the condition on the minute keeps a position from stepping back.
 */
export async function updatePositions(tx: Db, positions: readonly PositionWrite[]): Promise<void> {
  if (positions.length === 0) return
  await sql`
    update position p set
      minute = n.minute, observed_at = n.observed_at, location_id = n.location_id, dwell_started_at = n.dwell_started_at,
      evidence = n.evidence, carry_at = n.carry_at
    from unnest(
      ${bigints(positions.map((p) => p.orgId))}, ${bigints(positions.map((p) => p.assetId))},
      ${minutes(positions)}, ${instants(positions.map((p) => p.observedAtMs))},
      ${bigints(positions.map((p) => p.locationId))}, ${instants(positions.map((p) => p.dwellStartedAtMs))},
      ${jsons(unlessAllNull(positions.map((p) => p.evidence)))},
      ${instants(unlessAllNull(positions.map((p) => p.carryAtMs)))}
    ) as n (org_id, asset_id, minute, observed_at, location_id, dwell_started_at, evidence, carry_at)
    where p.org_id = n.org_id and p.asset_id = n.asset_id and p.minute <= n.minute`.execute(tx)
}

/** Completes rows with what their minutes set aside. Call under `lockPositions`. */
export async function closeMinutes(
  tx: Tx,
  old: OldDays,
  all: readonly (AssetKey & { minute: Minute; outvoted: readonly Outvoted[] })[],
): Promise<void> {
  const { packed, rows: closed } = await old.split(all, true)
  await old.close(packed)
  if (closed.length === 0) return
  await sql`
    update scan s set outvoted = n.outvoted
    from unnest(
      ${bigints(closed.map((row) => row.orgId))}, ${bigints(closed.map((row) => row.assetId))}, ${minutes(closed)},
      ${jsons(closed.map((row) => row.outvoted))}
    ) as n (org_id, asset_id, minute, outvoted)
    where s.org_id = n.org_id and s.asset_id = n.asset_id and s.minute = n.minute`.execute(tx)
}

/** The stored row of each of these minutes, or else the nearest one before it. */
export async function findRowsBefore(
  tx: Tx,
  old: OldDays,
  all: readonly (AssetKey & { minute: Minute })[],
): Promise<(AssetKey & { wanted: Minute } & RowBefore)[]> {
  const { packed, rows: wanted } = await old.split(all)
  const ofOldDays = packed.flatMap(({ orgId, assetId, minute }) => {
    const row = old.rowUpTo({ orgId, assetId, minute })
    return row ? [{ orgId, assetId, wanted: minute, ...row }] : []
  })
  if (wanted.length === 0) return ofOldDays
  const { rows } = await sql<AssetKey & { wanted: Minute } & RowBefore>`${fixedPlan}
    select k.org_id as "orgId", k.asset_id as "assetId", ${epochMinute('k.minute')} as wanted,
           ${epochMinute('s.minute')} as minute, ${epochMs('s.observed_at')} as "observedAtMs", s.location_id as "locationId"
    from unnest(
      ${bigints(wanted.map((row) => row.orgId))}, ${bigints(wanted.map((row) => row.assetId))}, ${minutes(wanted)}
    ) as k (org_id, asset_id, minute)
    cross join lateral (
      (select s.minute, s.observed_at, s.location_id from scan s
       where s.org_id = k.org_id and s.asset_id = k.asset_id and s.minute <= k.minute and s.minute >= ${PACKED_UNTIL}
       order by s.minute desc limit 1)
      union all
      (select date_trunc('minute', d.last_at), d.last_at, d.last_location_id from day_packed d
       where d.org_id = k.org_id and d.asset_id = k.asset_id and d.day < ${PACKED_UNTIL_DAY}
       order by d.day desc limit 1)
      limit 1) s`.execute(tx)
  return [...ofOldDays, ...rows]
}

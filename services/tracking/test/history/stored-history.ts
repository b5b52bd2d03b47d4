import { openDatabase } from '@whereabouts/db/connect/database'
import { bigints, instants, texts } from '@whereabouts/db/tenant/array-parameters'
import { plannerSettings } from '@whereabouts/db/tenant/planner'
import { urlAs } from '@whereabouts/db/tenant/service-roles'
import { openTenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { sql } from 'kysely'
import type { Tables } from '../../src/db.ts'
import { DAY_MS } from '../../src/positions/packed/day-rows.ts'
import { packStep, type PackStep } from '../../src/positions/packed/packer.ts'
import { addDays, createDay, monthStart } from '../../src/positions/partitions/partitions.queries.ts'
import { createMonths } from '../partitions.ts'
import type { SimulatedRow, Simulation } from './simulated-rows.ts'

export const ORG = 1_234_567_890_123
/** Rows of an insert. */
const AT_ONCE = 5_000
const LONG_MS = 120_000

/** The history of one organization in the tables of tracking, which does not run. `url` names the owner of the schema. */
export class StoredHistory {
  readonly #owner
  readonly #worker
  /** As requests read. */
  readonly tenants

  constructor(url: string) {
    const settings = plannerSettings
    this.#owner = openDatabase<Tables>(url, { max: 1, name: 'bench', statementTimeoutMs: LONG_MS })
    this.#worker = openDatabase<Tables>(urlAs('worker', url), { max: 1, name: 'bench ingest', settings })
    this.tenants = openTenantDatabase<Tables>(url, {
      max: 2,
      name: 'bench reads',
      settings,
      prepared: false,
      readTimeoutMs: LONG_MS,
    })
  }

  /** Assets that were seen a moment ago, so that a report on the past looks each one up. */
  async addAssets({ assetIds, locationIds }: Simulation): Promise<void> {
    const { db } = this.#owner
    await sql`
      insert into location (org_id, id, revision, external_key, name)
      select ${ORG}, id, 1, 'LOC-' || id, 'Shelf ' || id from unnest(${bigints(locationIds)}) id`.execute(db)
    await sql`
      insert into asset (org_id, id, revision, external_key, name, valid_from)
      select ${ORG}, id, 1, 'ASSET-' || id, 'Forklift ' || id, '2000-01-01' from unnest(${bigints(assetIds)}) id`.execute(
      db,
    )
    await sql`
      update position set minute = date_trunc('minute', now()), observed_at = now(), location_id = ${locationIds[0]},
        dwell_started_at = now()`.execute(db)
  }

  /** Writes the rows of a day in the order of their time, without movements, and resolves with their number. */
  async addDay(simulation: Simulation, day: string, partition: 'day' | 'month'): Promise<number> {
    const { db } = this.#owner
    if (partition === 'month') await createMonths(db, [day])
    await createDay(db, day)
    await sql`select set_config('synchronous_commit', 'off', false), set_config('whereabouts.writes_movements', 'on', false)`.execute(
      this.#worker.db,
    )
    const rows: SimulatedRow[] = []
    let count = 0
    for (const row of simulation.day(Date.parse(day))) {
      count += 1
      if (rows.push(row) === AT_ONCE) await this.#insert(rows.splice(0))
    }
    await this.#insert(rows)
    return count
  }

  async #insert(rows: readonly SimulatedRow[]): Promise<void> {
    await sql`
      insert into scan (org_id, asset_id, minute, observed_at, location_id, reader_key, antenna, tag_id, scan_point_id)
      select ${ORG}, u.asset_id, u.minute, u.at, u.place, u.reader_key, u.antenna::int, u.tag_id, u.scan_point_id
      from unnest(
        ${bigints(rows.map((row) => row.assetId))}, ${instants(rows.map((row) => row.minute * 60_000))},
        ${instants(rows.map((row) => row.observedAtMs))}, ${bigints(rows.map((row) => row.locationId))},
        ${texts(rows.map((row) => row.readerKey))}, ${bigints(rows.map((row) => row.antenna))},
        ${bigints(rows.map((row) => row.tagId))}, ${bigints(rows.map((row) => row.scanPointId))}
      ) as u (asset_id, minute, at, place, reader_key, antenna, tag_id, scan_point_id)`.execute(
      this.#worker.db,
    )
  }

  /** Before reads are measured: no statement has to set hint bits, and no daemon starts meanwhile. */
  async settle(): Promise<void> {
    await sql`vacuum analyze`.execute(this.#owner.db)
  }

  packStep(): Promise<PackStep> {
    return packStep(this.#worker.db)
  }

  /** Bytes of a table with its indexes, and of the indexes alone. */
  async sizeOf(name: 'scan' | 'day_packed'): Promise<{ bytes: number; indexBytes: number }> {
    const { rows } = await sql<{ bytes: number; indexBytes: number }>`
      select sum(pg_total_relation_size(relid))::bigint as bytes, sum(pg_indexes_size(relid))::bigint as "indexBytes"
      from pg_partition_tree(${name}) where isleaf`.execute(this.#owner.db)
    return rows[0] ?? { bytes: 0, indexBytes: 0 }
  }

  /** Files of a table and its indexes, below the data folder of the server. */
  async filesOf(name: 'scan' | 'day_packed'): Promise<string[]> {
    const { rows } = await sql<{ path: string }>`
      select pg_relation_filepath(files.id) as path from pg_partition_tree(${name}) part
      cross join lateral (select part.relid as id union all select indexrelid from pg_index where indrelid = part.relid) files
      where isleaf`.execute(this.#owner.db)
    return rows.map(({ path }) => path)
  }

  async close(): Promise<void> {
    await Promise.all([this.#owner.close(), this.#worker.close(), this.tenants.close()])
  }
}

/** The last days before a month that all are old enough to be packed. */
export function lastDays(count: number, nowMs: number): string[] {
  const until = monthStart(new Date(nowMs - 4 * DAY_MS).toISOString().slice(0, 10))
  return Array.from({ length: count }, (_, n) => addDays(until, n - count))
}

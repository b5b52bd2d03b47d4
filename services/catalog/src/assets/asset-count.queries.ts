import { sql, type Kysely, type RawBuilder } from 'kysely'
import type { Tables } from '../db.ts'

/**
 * The number of live assets that are valid now, without counting them (ADR 71). Of the live ones it subtracts those that have
 * ended and those that have not begun. No asset is both (`asset_window`).
 */
export const keptTotal = (orgId: number): RawBuilder<unknown> => sql`
  select coalesce(sum(n), 0)::bigint
    - (select count(*) from asset where org_id = ${orgId} and deleted_at is null and valid_to <= now())
    - (select count(*) from asset where org_id = ${orgId} and deleted_at is null and valid_from > now())
  from asset_count where org_id = ${orgId}`

/**
 * Replaces the counts of each organization by their sum. One statement, so that every reader sees either these or the sum.
 * Another replica that folds at the same time skips the rows of this one.
 */
export async function foldAssetCounts(across: Kysely<Tables>): Promise<void> {
  await sql`
    with found as (
      select org_id, id from asset_count
      where org_id in (select org_id from asset_count group by org_id having count(*) > 1)
      for update skip locked),
    folded as (
      delete from asset_count as kept using found
      where kept.org_id = found.org_id and kept.id = found.id returning kept.org_id, kept.n)
    insert into asset_count (org_id, n) select org_id, sum(n) from folded group by org_id`.execute(across)
}

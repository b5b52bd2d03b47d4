import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/background-job'
import type { Logger } from '@whereabouts/service-kit/logging'
import type { Registry } from '@whereabouts/service-kit/metrics'
import { sql, type Kysely, type RawBuilder } from 'kysely'

/** Who reads a count adds up its rows since the last turn: 2 000 take less than a millisecond. */
const FOLD_EVERY_MS = 2_000

/** The number of assets that the rows of `asset_count` say (ADR 71). */
export const keptCount = (orgId: number): RawBuilder<unknown> =>
  sql`(select coalesce(sum(n), 0)::bigint from asset_count where org_id = ${orgId})`

/** `across` sees all organizations. Each replica runs it. */
export const startAssetCountFold = <T>(
  across: Kysely<T>,
  telemetry: { log: Logger; registry: Registry },
): BackgroundJob =>
  startBackgroundJob({ name: 'asset-count', everyMs: FOLD_EVERY_MS, ...telemetry }, () =>
    foldAssetCounts(across),
  )

/**
 * Replaces the counts of each organization by their sum. One statement, so that every reader sees either these or the sum.
 * Another replica that folds at the same time skips the rows of this one.
 */
export async function foldAssetCounts<T>(across: Kysely<T>): Promise<void> {
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

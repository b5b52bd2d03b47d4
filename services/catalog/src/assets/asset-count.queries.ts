import { keptCount } from '@whereabouts/db/schema/asset-counts'
import { sql, type RawBuilder } from 'kysely'

/**
 * The number of live assets that are valid now, without counting them (ADR 71). Of the live ones it subtracts those that have
 * ended and those that have not begun. No asset is both (`asset_window`).
 */
export const keptTotal = (orgId: number): RawBuilder<unknown> => sql`
  select ${keptCount(orgId)}
    - (select count(*) from asset where org_id = ${orgId} and deleted_at is null and valid_to <= now())
    - (select count(*) from asset where org_id = ${orgId} and deleted_at is null and valid_from > now())`

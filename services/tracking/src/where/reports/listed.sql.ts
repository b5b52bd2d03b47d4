import { isValidNow } from '@whereabouts/db/sql-conditions'
import { sql, type RawBuilder } from 'kysely'

/** Conditions that the statements of several reports share. Aliases: `p` position, `a` asset, `s` asset_place. */
export type Sql = RawBuilder<unknown>

/** What a list shows: valid now, and not deleted unless `includeDeleted` (D7.1). */
export const isListed = (alias: 'p' | 'a' | 's', includeDeleted: boolean): Sql =>
  includeDeleted ? isValidNow(alias) : sql`${isValidNow(alias)} and ${sql.ref(`${alias}.deleted_at`)} is null`

/** The key of location `l`; null for a deleted location (D8.3). */
export const LOCATION_KEY = sql.raw('case when l.deleted_at is null then l.external_key end')

import { sql } from 'kysely'
import { assetColumnsWithTags } from '../../assets/assets.queries.ts'
import type { AssetWithHome, Db } from '../../db.ts'
import { locationColumnsWithTags, type LocationWithParent } from '../../locations/locations.queries.ts'
import type { Tagged } from '../../tags/live-tags.ts'
import { PAGE } from './asset-pages.ts'

/** All assets, deleted or not, by id. */
export const allAssets = (db: Db, orgId: number): AsyncGenerator<Tagged<AssetWithHome>[]> =>
  byId(async (last) => {
    const { rows } = await sql<Tagged<AssetWithHome>>`select ${assetColumnsWithTags} from asset
      where org_id = ${orgId} and id > ${last}::bigint order by id limit ${PAGE}`.execute(db)
    return rows
  })

/** All locations, deleted or not, by id. */
export const allLocations = (db: Db, orgId: number): AsyncGenerator<Tagged<LocationWithParent>[]> =>
  byId(async (last) => {
    const { rows } = await sql<Tagged<LocationWithParent>>`select ${locationColumnsWithTags} from location
      where org_id = ${orgId} and id > ${last}::bigint order by id limit ${PAGE}`.execute(db)
    return rows
  })

/** Each page is a statement of its own, so a slow reader holds no transaction open. */
async function* byId<Row extends { id: number }>(
  readAfter: (id: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  let last = 0
  for (;;) {
    const rows = await readAfter(last)
    if (rows.length > 0) yield rows
    if (rows.length < PAGE) return
    last = rows.at(-1)?.id ?? last
  }
}

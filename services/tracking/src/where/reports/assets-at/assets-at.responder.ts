import { assetsAt, type AssetsAtReply } from '@whereabouts/contracts/messages/assets-at'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { answering } from '@whereabouts/messaging/messages/request'
import { sql } from 'kysely'
import type { Tables } from '../../../db.ts'
import { bigints } from '@whereabouts/db/tenant/array-parameters'

/**
 * Answers `rpc.tracking.assets-at` with one page, including deleted assets. Ordered by asset, so that an asset that moves between two pages is listed once.
 */
export const { answer: listAssetsAt, serve: serveAssetsAt } = answering(
  assetsAt,
  'not a request for the assets at locations',
  async (
    db: Pick<TenantDatabase<Tables>, 'forOrg'>,
    { org_id: orgId, location_ids, after, limit },
  ): Promise<AssetsAtReply> => {
    const { rows } = await sql<{ asset_id: number }>`
    select p.asset_id
    from unnest(${bigints([...new Set(location_ids)])}) as l (id)
    cross join lateral (
      select asset_id from asset_place
      where org_id = ${orgId} and location_id = l.id and asset_id > ${after}
      order by asset_id limit ${limit}
    ) p
    order by p.asset_id limit ${limit}`.execute(db.forOrg(orgId))
    return { asset_ids: rows.map((row) => row.asset_id) }
  },
)

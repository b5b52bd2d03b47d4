import { misplacedAssets, type MisplacedAssetsReply } from '@whereabouts/contracts/messages/assets-at'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { answering } from '@whereabouts/messaging/messages/request'
import { sql } from 'kysely'
import type { CatalogView } from '../../../catalog/catalog-view.ts'
import type { Tables } from '../../../db.ts'
import { homeFilter, placesByHome } from '../home.sql.ts'

type From = { db: Pick<TenantDatabase<Tables>, 'forOrg'>; view: CatalogView }

/** Answers `rpc.tracking.misplaced-assets` with one page by asset, including deleted assets. */
export const { answer: listMisplaced, serve: serveMisplaced } = answering(
  misplacedAssets,
  'not a request for misplaced assets',
  async (
    { db, view }: From,
    { org_id: orgId, misplaced, home_ids: home_location_id, after, limit },
  ): Promise<MisplacedAssetsReply> => {
    const filter = homeFilter(view, orgId, { misplaced, home_location_id }) ?? {}
    const { rows } = await sql<{ asset_id: number }>`
      select p.asset_id from (${placesByHome(orgId, filter, sql`s.asset_id > ${after}`)}) p
      order by p.asset_id limit ${limit}`.execute(db.forOrg(orgId))
    return { asset_ids: rows.map((row) => row.asset_id) }
  },
)

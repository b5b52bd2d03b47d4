import type { Selectable } from 'kysely'
import type { Db, Tables } from '../db.ts'
import type { PlacementRules } from './rules.ts'

/** The rules of one organization, or of all. One without a row has the defaults. */
export async function listPlacementRules(db: Db, orgId?: number): Promise<Map<number, PlacementRules>> {
  const query = db.selectFrom('placement_rules').selectAll()
  const rows = await (orgId === undefined ? query : query.where('org_id', '=', orgId)).execute()
  return new Map(rows.map((row) => [row.org_id, toRules(row)]))
}

export const toRules = (row: Selectable<Tables['placement_rules']>): PlacementRules => ({
  passages: row.passages,
  tagTypes: row.tag_types,
  marginDb: row.margin_db,
  exitDelaySeconds: row.exit_delay_seconds,
  minRssiDbm: row.min_rssi_dbm,
})

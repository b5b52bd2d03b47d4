import type { PlacementUpdate } from '@whereabouts/contracts/resources/tracking/placement'
import type { Tx } from '../../db.ts'
import { toRules } from '../../positions/rules.queries.ts'
import { DEFAULT_RULES, type PlacementRules } from '../../positions/rules.ts'

/** What is absent stays. Locks the row, so that changes at the same time have an order. */
export async function updateRules(
  tx: Tx,
  orgId: number,
  { passages, tag_types, margin_db, exit_delay_seconds, min_rssi_dbm }: PlacementUpdate,
): Promise<PlacementRules> {
  const changes = { passages, tag_types, margin_db, exit_delay_seconds, min_rssi_dbm }
  const row = await tx
    .insertInto('placement_rules')
    .values({
      org_id: orgId,
      passages: passages ?? DEFAULT_RULES.passages,
      tag_types: tag_types ?? [...DEFAULT_RULES.tagTypes],
      margin_db: margin_db ?? DEFAULT_RULES.marginDb,
      exit_delay_seconds: exit_delay_seconds ?? DEFAULT_RULES.exitDelaySeconds,
      min_rssi_dbm: min_rssi_dbm ?? DEFAULT_RULES.minRssiDbm,
    })
    .onConflict((conflict) => conflict.column('org_id').doUpdateSet({ org_id: orgId, ...changes }))
    .returningAll()
    .executeTakeFirstOrThrow()
  return toRules(row)
}

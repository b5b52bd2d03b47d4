import { DEFAULT_RULES, type PlacementRules } from '../../src/positions/rules.ts'
import type { Tracking } from '../tracking.fixture.ts'

/** Sets the rules of an organization, as a replica knows them a moment after its administrator has. */
export async function setRules(
  { db, directory }: Pick<Tracking, 'db' | 'directory'>,
  changes: Partial<PlacementRules>,
  orgId = 1,
): Promise<void> {
  const { passages, tagTypes, marginDb, exitDelaySeconds, minRssiDbm } = { ...DEFAULT_RULES, ...changes }
  const values = {
    passages,
    tag_types: [...tagTypes],
    margin_db: marginDb,
    exit_delay_seconds: exitDelaySeconds,
    min_rssi_dbm: minRssiDbm,
  }
  await db
    .insertInto('placement_rules')
    .values({ org_id: orgId, ...values })
    .onConflict((row) => row.column('org_id').doUpdateSet(values))
    .execute()
  await directory.reload(orgId)
}

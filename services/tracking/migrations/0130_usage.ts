import { countRows, createUsage, setDefaultLimits } from '@whereabouts/db/schema/usage'
import type { Kysely } from 'kysely'

/** What an organization stores in tracking, and its limits (ADR 91). History has a limit in days: its retention. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createUsage(db)
  await setDefaultLimits(db, { readers: 1_000, scan_points: 10_000 })
  await countRows(db, 'reader', { readers: '1' })
  await countRows(db, 'scan_point', { scan_points: '1' })
}

import { dropIndexConcurrently } from '@whereabouts/db/schema/concurrent-index'
import { sql, type Kysely } from 'kysely'

export const inTransaction = false

export const contracts =
  'A release before this one writes the form that it compares, which is unique for it as well, and refuses a taken tag.'

/** Barcodes are unique as they compare (D19.2). If a new twin comes in between, the index fails, and the next run marks it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    update tag set is_twin = true
    from (
      select org_id, id, row_number() over (partition by org_id, match_value order by created_at, id) as place
      from tag where tag_type = 'barcode' and deleted_at is null) as live
    where tag.org_id = live.org_id and tag.id = live.id and live.place > 1 and not tag.is_twin`.execute(db)
  await dropIndexConcurrently(db, 'tag_live_barcode')
  await sql`
    create unique index concurrently tag_live_barcode on tag (org_id, match_value)
    where tag_type = 'barcode' and deleted_at is null and not is_twin`.execute(db)
}

import { sql, type Kysely } from 'kysely'

/** A release before this one had no readers of this format, and writes none. */
export const contracts = 'format mapping needs a mapping'

/**
 * What a decoder has to be told about a reader. Nullable on purpose: few devices need either, and the release before
 * this one writes neither (nor does it accept format `mapping`, so the check holds for its rows).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table reader
      add column timezone text,
      add column mapping jsonb,
      add constraint reader_mapping_present check (format <> 'mapping' or mapping is not null)`.execute(db)
}

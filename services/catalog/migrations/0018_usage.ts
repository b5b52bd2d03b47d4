import { bytesOf, countRows, createUsage, setDefaultLimits } from '@whereabouts/db/schema/usage'
import type { Kysely } from 'kysely'

/**
 * What an organization stores in catalog, and its limits (ADR 91). Deleted assets, locations and tags stay in the
 * database, so they count as bytes, but not as assets, locations and tags.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createUsage(db)
  await setDefaultLimits(db, {
    assets: 1_000_000,
    locations: 100_000,
    tags: 2_000_000,
    stored_bytes: 2 ** 30,
    image_bytes: 100 * 2 ** 20,
    import_bytes: 2 ** 28,
  })
  const live = '(deleted_at is null)::int'
  await countRows(db, 'asset', {
    assets: live,
    stored_bytes: bytesOf(400, 'name', 'description', 'metadata::text'),
  })
  await countRows(db, 'location', { locations: live, stored_bytes: bytesOf(400, 'name', 'description') })
  await countRows(db, 'tag', { tags: live, stored_bytes: bytesOf(300, 'value') })
  await countRows(db, 'floor_image', { image_bytes: 'octet_length(bytes)' })
  await countRows(db, 'import_line', { import_bytes: '100 + size' })
}

import { createIndexConcurrently, dropIndexConcurrently } from '@whereabouts/db/schema/concurrent-index'
import { createOwnRowsView } from '@whereabouts/db/tenant/row-security'
import type { Kysely } from 'kysely'

export const inTransaction = false

/**
 * The index has the order of a walk through the tree: it finds the first child and the next sibling of a location in one
 * step. It replaces the index without the order, which PostgreSQL would prefer for its size if it expects few children.
 * Searches keep their index, because an organization has few locations.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const definition = 'location (org_id, parent_id, name, id) include (deleted_at)'
  await createIndexConcurrently(db, 'location_siblings', definition)
  await dropIndexConcurrently(db, 'location_children')
  await createOwnRowsView(db, 'location', [
    'org_id', 'id', 'external_key', 'name', 'parent_id', 'is_active', 'valid_from', 'valid_to', 'created_at',
    'updated_at', 'deleted_at', 'search_text',
  ]) // oxfmt-ignore
}

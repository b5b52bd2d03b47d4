import { tagTypes } from '@whereabouts/contracts/resources/catalog/tags'
import { jsonInSlices } from '@whereabouts/service-kit/limits/slices'
import { sql } from 'kysely'
import type { Db, Tx } from '../../db.ts'
import { gained, tagName, type Change, type Snapshot, type Resource } from './plan.ts'

/**
 * The changes that a dry run would have made so far. They replace stored rows in the snapshot, so that each row gets
 * the same outcome as in an import. A `thing` is a resource.
 */
type OverlayEntry =
  | { kind: 'thing'; key: string; value: Omit<Resource, 'key'> }
  | { kind: 'tag'; key: string; value: { owner: string | null } }
  | { kind: 'number'; key: ''; value: { highest: string } }

/** Replaces rows of `snapshot` by those of the dry run. */
export async function applyOverlay(
  db: Db,
  orgId: number,
  importId: number,
  snapshot: Snapshot,
  named: { keys: readonly string[]; tags: readonly string[] },
): Promise<void> {
  const kinds = [...named.keys.map(() => 'thing'), ...named.tags.map(() => 'tag'), 'number']
  const { rows } = await sql<OverlayEntry>`
    select fact.kind, fact.key, fact.value
    from unnest(${kinds}::text[], ${[...named.keys, ...named.tags, '']}::text[]) as named (kind, key)
    cross join lateral (
      select * from import_fact
      where org_id = ${orgId} and import_id = ${importId} and kind = named.kind and key = named.key limit 1
    ) as fact`.execute(db)
  for (const row of rows) {
    if (row.kind === 'thing') snapshot.resources.set(row.key, { ...row.value, key: row.key })
    else if (row.kind === 'number')
      snapshot.highestNumber = larger(snapshot.highestNumber, BigInt(row.value.highest))
    else if (row.value.owner === null) snapshot.tagOwners.delete(row.key)
    else snapshot.tagOwners.set(row.key, row.value.owner)
  }
}

const larger = (a: bigint, b: bigint) => (a > b ? a : b)

/** Stores the changes of `snapshot` for later batches. */
export async function saveOverlay(
  tx: Tx,
  orgId: number,
  importId: number,
  snapshot: Snapshot,
  changed: readonly Change[],
): Promise<void> {
  const tags = new Set(changed.flatMap(movedTags))
  const rows: OverlayEntry[] = [
    { kind: 'number', key: '', value: { highest: String(snapshot.highestNumber) } },
    ...changed.map(({ after: { key, ...value } }) => ({ kind: 'thing' as const, key, value })),
    ...[...tags].map((key) => ({
      kind: 'tag' as const,
      key,
      value: { owner: snapshot.tagOwners.get(key) ?? null },
    })),
  ]
  await sql`
    insert into import_fact (org_id, import_id, kind, key, value)
    select ${orgId}, ${importId}, kind, key, value
    from jsonb_to_recordset(${await jsonInSlices(rows)}::jsonb) as fact (kind text, key text, value jsonb)
    on conflict (org_id, import_id, kind, key) do update set value = excluded.value`.execute(tx)
}

const movedTags = ({ before, after }: Change): string[] =>
  tagTypes.flatMap((type) =>
    [...gained(after, before, type), ...gained(before, after, type)].map((value) => tagName(type, value)),
  )

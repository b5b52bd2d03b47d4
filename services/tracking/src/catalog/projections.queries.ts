import type {
  AssetIdentity,
  LocationPlace,
  TagState,
  TypedAsset,
} from '@whereabouts/contracts/messages/catalog-state'
import { sql } from 'kysely'
import type { Db, Tx } from '../db.ts'
import { lockPositions } from '../positions/lock-positions.queries.ts'

type State = { org_id: number; id: number; revision: number }

/**
 * The newest state of each entity, because an upsert must not touch a row twice. In the order of ingest, because the
 * triggers of `asset` lock positions, and all transactions must lock them in one order.
 */
function newest<T extends State>(states: readonly T[]): T[] {
  const byId = new Map<number, T>()
  for (const state of states) {
    const known = byId.get(state.id)
    if (!known || known.revision < state.revision) byId.set(state.id, state)
  }
  return [...byId.values()].toSorted((a, b) => a.org_id - b.org_id || a.id - b.id)
}

/**
 * Stores the states that are newer than the stored ones. A reply of catalog has no home and leaves the stored one; the state of the
 * same revision follows in the stream and has it. The same heals what a replica of the release before has stored, once catalog
 * publishes all states again. Locks positions first, like ingest: the triggers of `asset`
 * and `position` each write into the other table, so that two transactions that start at different tables would
 * deadlock.
 */
export async function upsertAssets(db: Db, states: readonly (AssetIdentity | TypedAsset)[]): Promise<void> {
  if (states.length === 0) return
  if (!db.isTransaction) return db.transaction().execute(async (tx) => upsertAssets(tx, states))
  await lockPositions(
    db as Tx,
    states.map(({ org_id, id }) => ({ orgId: org_id, assetId: id })),
  )
  await sql`
    insert into asset (org_id, id, revision, external_key, name, valid_from, valid_to, deleted_at, home_location_id)
    select state.org_id, state.id, state.revision, state.external_key, state.name, state.valid_from, state.valid_to,
      state.deleted_at, case when sent ? 'type' then state.home_location_id else known.home_location_id end
    from jsonb_array_elements(${JSON.stringify(newest(states))}::jsonb) as sent
    cross join lateral jsonb_populate_record(null::asset, sent) as state
    left join lateral (select home_location_id from asset
      where org_id = state.org_id and id = state.id offset 0) as known on true
    on conflict (org_id, id) do update set
      revision = excluded.revision, external_key = excluded.external_key, name = excluded.name,
      valid_from = excluded.valid_from, valid_to = excluded.valid_to, deleted_at = excluded.deleted_at,
      home_location_id = excluded.home_location_id
    where excluded.revision > asset.revision or (
      excluded.revision = asset.revision and excluded.home_location_id is distinct from asset.home_location_id)`.execute(
    db,
  )
}

export async function upsertLocations(db: Db, states: readonly LocationPlace[]): Promise<void> {
  if (states.length === 0) return
  await sql`
    insert into location (org_id, id, revision, external_key, name, deleted_at)
    select org_id, id, revision, external_key, name, deleted_at
    from jsonb_populate_recordset(null::location, ${JSON.stringify(newest(states))}::jsonb)
    on conflict (org_id, id) do update set
      revision = excluded.revision, external_key = excluded.external_key, name = excluded.name,
      deleted_at = excluded.deleted_at
    where excluded.revision > location.revision`.execute(db)
}

export async function upsertTags(db: Db, states: readonly TagState[]): Promise<void> {
  if (states.length === 0) return
  await sql`
    insert into tag (org_id, id, revision, tag_type, value, asset_id, location_id, created_at, deleted_at)
    select org_id, id, revision, tag_type, value, asset_id, location_id, created_at, deleted_at
    from jsonb_populate_recordset(null::tag, ${JSON.stringify(newest(states))}::jsonb)
    on conflict (org_id, id) do update set
      revision = excluded.revision, tag_type = excluded.tag_type, value = excluded.value,
      asset_id = excluded.asset_id, location_id = excluded.location_id, deleted_at = excluded.deleted_at
    where excluded.revision > tag.revision`.execute(db)
}

/** The id of the live asset with this key, as the projection knows it. */
export async function findAssetId(db: Db, orgId: number, key: string): Promise<number | undefined> {
  const found = await db
    .selectFrom('asset')
    .select('id')
    .where('org_id', '=', orgId)
    .where('external_key', '=', key)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return found?.id
}

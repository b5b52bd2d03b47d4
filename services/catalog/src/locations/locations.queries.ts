import type { LocationCreate, LocationListQuery } from '@whereabouts/contracts/locations'
import { sql, type SelectQueryBuilder } from 'kysely'
import type { Db, LocationRow, Tables, Tx } from '../db.ts'
import { locationKeyTaken, windowInverted } from '../errors.ts'
import { anyOf, containing, effectiveNow, pageOf } from '../lists/conditions.ts'
import { nextRevision } from '../tags/tags.queries.ts'
import { violatedConstraint } from '../violations.ts'

export const locationColumns = [
  'location.org_id', 'location.id', 'location.external_key', 'location.name', 'location.description',
  'location.parent_id', 'location.is_active', 'location.valid_from', 'location.valid_to',
  'location.created_at', 'location.updated_at', 'location.deleted_at', 'location.revision',
] as const // prettier-ignore

/** With the parent's key, which is null for a root, and once the parent itself is deleted. */
export type PlacedLocation = LocationRow & { parent_external_key: string | null }

const live = (db: Db, orgId: number, id: number) =>
  db
    .selectFrom('location')
    .where('location.org_id', '=', orgId)
    .where('location.id', '=', id)
    .where('location.deleted_at', 'is', null)

/** Adds the live parent to a query over `location`. */
const joinParent = <O>(query: SelectQueryBuilder<Tables, 'location', O>) =>
  query.leftJoin('location as parent', (join) =>
    join
      .onRef('parent.org_id', '=', 'location.org_id')
      .onRef('parent.id', '=', 'location.parent_id')
      .on('parent.deleted_at', 'is', null),
  )

/** The live row, or undefined when it is missing, deleted, or another organization's: the three look the same. */
export function findLocation(db: Db, orgId: number, id: number): Promise<PlacedLocation | undefined> {
  return joinParent(live(db, orgId, id))
    .select([...locationColumns, 'parent.external_key as parent_external_key'])
    .executeTakeFirst()
}

/** As `findLocation` without the parent's key, and locked against any change until the transaction ends. */
export function lockLocation(tx: Tx, orgId: number, id: number): Promise<LocationRow | undefined> {
  return live(tx, orgId, id).select(locationColumns).forUpdate().executeTakeFirst()
}

/** Whether the location is live; if so it stays live until the transaction ends. Any number may pin at a time. */
export async function pinLocation(tx: Tx, orgId: number, id: number): Promise<boolean> {
  return (await live(tx, orgId, id).select('location.id').forShare().executeTakeFirst()) !== undefined
}

export type Parent = { id: number; external_key: string }

/** The live location with this id or this key, which stays live until the transaction ends. */
export function pinParent(
  tx: Tx,
  orgId: number,
  parent: { id: number } | { external_key: string },
): Promise<Parent | undefined> {
  const rows = tx
    .selectFrom('location')
    .select(['id', 'external_key'])
    .where('org_id', '=', orgId)
    .where('deleted_at', 'is', null)
    .forShare()
  return 'id' in parent
    ? rows.where('id', '=', parent.id).executeTakeFirst()
    : rows.where('external_key', '=', parent.external_key).executeTakeFirst()
}

type NewLocation = Omit<LocationCreate, 'external_key' | 'tags' | 'parent_id' | 'parent_external_key'> & {
  external_key: string
  parent_id: number | null
}

/** Call under `pinParent`. Throws `locationKeyTaken` and `windowInverted`; what is left out gets its default. */
export async function insertLocation(tx: Tx, orgId: number, location: NewLocation): Promise<LocationRow> {
  return tx
    .insertInto('location')
    .values({ org_id: orgId, ...location })
    .returning(locationColumns)
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      const constraint = violatedConstraint(error)
      if (constraint === 'location_live_key') throw locationKeyTaken(location.external_key)
      if (constraint === 'location_window') throw windowInverted()
      throw error
    })
}

/** Call under `lockLocation`: who adds a child pins its parent first, so the answer holds until the end. */
export async function hasLiveChildren(tx: Tx, orgId: number, id: number): Promise<boolean> {
  const child = await tx
    .selectFrom('location')
    .select('id')
    .where('org_id', '=', orgId)
    .where('parent_id', '=', id)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return child !== undefined
}

/** Call under `lockLocation`. */
export function deleteLocation(tx: Tx, orgId: number, id: number): Promise<LocationRow> {
  return tx
    .updateTable('location')
    .set({ deleted_at: sql<string>`greatest(clock_timestamp(), updated_at)`, revision: nextRevision })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(locationColumns)
    .executeTakeFirstOrThrow()
}

/** One page of the effective rows that match, and how many match in all. */
export async function listLocations(
  db: Db,
  orgId: number,
  query: LocationListQuery,
): Promise<{ rows: PlacedLocation[]; total: number }> {
  const matching = locationsMatching(db, orgId, query)
  const count = matching.select((eb) => eb.fn.countAll<number>().as('total'))
  const { total } = await count.executeTakeFirstOrThrow()
  const { limit, offset } = pageOf(query)
  if (offset >= total) return { rows: [], total }
  const sort = query.sort ?? [{ field: 'external_key', descending: false }]
  const rows = await sort
    .reduce(
      (sorted, { field, descending }) => sorted.orderBy(`location.${field}`, descending ? 'desc' : 'asc'),
      matching.select([...locationColumns, 'parent.external_key as parent_external_key']),
    )
    .orderBy('location.id')
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, total }
}

function locationsMatching(db: Db, orgId: number, query: LocationListQuery) {
  const { external_key, parent_id, parent_external_key, is_active, include_deleted, q } = query
  return joinParent(db.selectFrom('location').where('location.org_id', '=', orgId))
    .where(effectiveNow('location'))
    .$if(include_deleted !== true, (rows) => rows.where('location.deleted_at', 'is', null))
    .$if(external_key !== undefined, (rows) =>
      rows.where(anyOf('location.external_key', external_key ?? [], 'text')),
    )
    .$if(parent_id !== undefined, (rows) =>
      rows.where(anyOf('location.parent_id', parent_id ?? [], 'bigint')),
    )
    .$if(parent_external_key !== undefined, (rows) =>
      rows.where(anyOf('parent.external_key', parent_external_key ?? [], 'text')),
    )
    .$if(is_active !== undefined, (rows) => rows.where('location.is_active', '=', is_active === true))
    .$if(q !== undefined, (rows) => rows.where(containing('location', orgId, q ?? '')))
}

import type { NamesWith } from '@whereabouts/contracts/rules/fields'
import type {
  LocationCreate,
  locationFields,
  LocationPatch,
} from '@whereabouts/contracts/resources/catalog/locations'
import { violatedConstraint } from '@whereabouts/db/connect/constraint-violation'
import { nextRevision } from '@whereabouts/db/outbox/revisions'
import { sql, type SelectQueryBuilder } from 'kysely'
import { locationColumns, type Db, type LocationRow, type Tables, type Tx } from '../db.ts'
import { locationKeyTaken, windowInverted } from '../errors.ts'
import { liveTags, type Tagged } from '../tags/live-tags.ts'
import { nextUpdate } from '../changes/transactions/next-update.ts'

/** With the parent's key, also if the parent is deleted (D17.3). Null for a root. */
export type LocationWithParent = LocationRow & { parent_external_key: string | null }

/**
 * The columns of a `LocationWithParent`, built once. Only the primary key has the order of the parent.
 */
const locationColumnsWithParent = sql`${sql.raw(locationColumns.join(', '))}, (
    select parent.external_key from location as parent
    where parent.org_id = location.org_id and parent.id between location.parent_id and location.parent_id
    order by parent.id limit 1
  ) as parent_external_key`

/** Of a page of `LocationWithParent`. */
export const locationView = {
  table: 'location',
  own: sql.raw(locationColumns.join(', ')),
  columns: locationColumnsWithParent,
} as const

/** With the live tags: of a `Tagged<LocationWithParent>`. */
export const locationColumnsWithTags = sql`${locationColumnsWithParent}, ${liveTags('location')} as tags`

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

/**
 * The live row with its tags. Undefined if it is missing, deleted, or belongs to another organization. In one
 * statement, because a delete between two would show the location without its tags.
 */
export async function findLocation(
  db: Db,
  orgId: number,
  id: number,
): Promise<Tagged<LocationWithParent> | undefined> {
  const { rows } = await sql<Tagged<LocationWithParent>>`select ${locationColumnsWithTags} from location
    where org_id = ${orgId} and id = ${id} and deleted_at is null`.execute(db)
  return rows[0]
}

const withParent = (db: Db, orgId: number, id: number) =>
  joinParent(live(db, orgId, id)).select([...locationColumns, 'parent.external_key as parent_external_key'])

/** Like `findLocation`, without tags and the parent's key. Locks the row until the transaction ends. */
export function lockLocation(tx: Tx, orgId: number, id: number): Promise<LocationRow | undefined> {
  return live(tx, orgId, id).select(locationColumns).forUpdate().executeTakeFirst()
}

export type Parent = { id: number; external_key: string }

/** The live location with this id or key. It stays live until the transaction ends. */
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

type Writable = NamesWith<typeof locationFields, 'writable'>
type NewLocation = Pick<LocationCreate, Writable> & { external_key: string; parent_id: number | null }

/** Call under `pinParent`. Omitted fields get their defaults. Throws `locationKeyTaken` and `windowInverted`. */
export async function insertLocation(tx: Tx, orgId: number, location: NewLocation): Promise<LocationRow> {
  return tx
    .insertInto('location')
    .values({ org_id: orgId, ...location })
    .returning(locationColumns)
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => refuseViolation(error, location.external_key))
}

function refuseViolation(error: unknown, key = ''): never {
  const constraint = violatedConstraint(error)
  if (constraint === 'location_live_key') throw locationKeyTaken(key)
  if (constraint === 'location_window') throw windowInverted()
  throw error
}

export type LocationChanges = Pick<LocationPatch, Writable> & {
  external_key?: string
  parent_id?: number | null
}

/**
 * Call under `lockLocation`; under `lockKeys` to change the key, and under `lockTree` and `pinParent` to change the
 * parent. Advances `updated_at` even if `changes` is empty. Throws `locationKeyTaken` and `windowInverted`.
 */
export async function updateLocation(
  tx: Tx,
  orgId: number,
  id: number,
  changes: LocationChanges,
): Promise<LocationWithParent> {
  await tx
    .updateTable('location')
    .set({ ...changes, updated_at: nextUpdate, revision: nextRevision })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .execute()
    .catch((error: unknown) => refuseViolation(error, changes.external_key))
  return withParent(tx, orgId, id).executeTakeFirstOrThrow()
}

/** Call under `lockLocation`. Adding a child first pins its parent, so the result is valid until the commit. */
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

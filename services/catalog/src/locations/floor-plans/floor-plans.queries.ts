import { audit, changesOf } from '@whereabouts/db/outbox/audit'
import type { FloorImage, PlacedReader, Zone } from '@whereabouts/contracts/resources/catalog/floor-plans'
import { anyOf } from '@whereabouts/db/sql-conditions'
import { sql } from 'kysely'
import type { Db, Tx } from '../../db.ts'
import { locationNotFound } from '../../errors.ts'
import { findLocation } from '../locations.queries.ts'
import type { LiveParents } from './floor-plans.rules.ts'

export type PlanRow = {
  place: number
  zones: Zone[]
  readers: PlacedReader[]
  version: number
  updated_at: string
  image: FloorImage | null
}

/**
 * Allows one transaction per organization to change floor plans, until it ends: they share limits and images. Throws
 * like `requirePlace`.
 */
export async function lockPlace(tx: Tx, orgId: number, place: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`floor:${orgId}`}, 0))`.execute(tx)
  await requirePlace(tx, orgId, place)
}

/** Throws `locationNotFound` if the place is not a live location, nor 0. */
export async function requirePlace(db: Db, orgId: number, place: number): Promise<void> {
  if (place !== 0 && !(await findLocation(db, orgId, place))) throw locationNotFound()
}

const plans = (db: Db, orgId: number) =>
  db
    .selectFrom('floor_plan as plan')
    .leftJoin('floor_image as image', (join) =>
      join.onRef('image.org_id', '=', 'plan.org_id').onRef('image.hash', '=', 'plan.image_hash'),
    )
    .where('plan.org_id', '=', orgId)
    .select(['plan.place', 'plan.zones', 'plan.readers', 'plan.version', 'plan.updated_at'])
    .select(
      sql<FloorImage | null>`case when image.hash is not null then json_build_object('hash', image.hash,
        'media_type', image.media_type, 'width', image.width, 'height', image.height) end`.as('image'),
    )

/** Also those of deleted locations. */
export const listPlans = (db: Db, orgId: number): Promise<PlanRow[]> =>
  plans(db, orgId).orderBy('plan.place').execute()

export const findPlan = (db: Db, orgId: number, place: number): Promise<PlanRow | undefined> =>
  plans(db, orgId).where('plan.place', '=', place).executeTakeFirst()

export const getPlan = (tx: Tx, orgId: number, place: number): Promise<PlanRow> =>
  plans(tx, orgId).where('plan.place', '=', place).executeTakeFirstOrThrow()

/** Of the live locations of these plans, and of all locations above them. */
export async function findLiveParents(
  db: Db,
  orgId: number,
  of: readonly { place: number; zones: readonly Zone[] }[],
): Promise<LiveParents> {
  const ids = of.flatMap(({ place, zones }) => [place, ...zones.map(({ location_id }) => location_id)])
  const { rows } = await sql<{ id: number; parent_id: number | null }>`
    with recursive above as (
      select id, parent_id from location
      where org_id = ${orgId} and ${anyOf('id', [...new Set(ids)], 'bigint')} and deleted_at is null
      union
      select parent.id, parent.parent_id from above
        join location as parent on parent.org_id = ${orgId} and parent.id = above.parent_id
    )
    select id, parent_id from above`.execute(db)
  return new Map(rows.map(({ id, parent_id }) => [id, parent_id]))
}

type PlanChanges = { place: number; zones?: Zone[]; readers?: PlacedReader[]; image_hash?: string | null }

/** Call under `lockPlace`. Changes or creates the plan, and deletes images that no plan shows any more. */
export async function savePlan(
  tx: Tx,
  orgId: number,
  { place, ...changes }: PlanChanges,
  stored: PlanRow | undefined,
): Promise<void> {
  const { zones, readers, ...image } = changes
  const columns = {
    ...image,
    ...(zones && { zones: JSON.stringify(zones) }),
    ...(readers && { readers: JSON.stringify(readers) }),
  }
  await tx
    .insertInto('floor_plan')
    .values({ org_id: orgId, place, zones: '[]', readers: '[]', version: 1, ...columns })
    .onConflict((on) =>
      on.columns(['org_id', 'place']).doUpdateSet({
        ...columns,
        version: sql`floor_plan.version + 1`,
        updated_at: sql`greatest(clock_timestamp(), floor_plan.updated_at + interval '1 millisecond')`,
      }),
    )
    .execute()
  await deleteUnusedImages(tx, orgId)
  // Zones and readers would be too large to keep at each save.
  const fields = {
    ...image,
    ...(zones && { zones: zones.length }),
    ...(readers && { readers: readers.length }),
    version: (stored?.version ?? 0) + 1,
  }
  const before = stored && {
    version: stored.version,
    zones: stored.zones.length,
    readers: stored.readers.length,
    image_hash: stored.image?.hash,
  }
  const subject = { type: 'floor_plan', id: place }
  await audit(tx, orgId, { action: 'floor_plan.update', subject, changes: changesOf(before, fields) })
}

export async function deleteUnusedImages(tx: Tx, orgId: number): Promise<void> {
  await sql`delete from floor_image as image where org_id = ${orgId} and not exists (
    select from floor_plan as plan where plan.org_id = ${orgId} and plan.image_hash = image.hash)`.execute(tx)
}

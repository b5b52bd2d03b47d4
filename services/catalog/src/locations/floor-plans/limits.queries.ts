import {
  floorLimits,
  type PlacedReader,
  type Zone,
} from '@whereabouts/contracts/resources/catalog/floor-plans'
import type { AppError } from '@whereabouts/service-kit/errors/app-error'
import { readUsage } from '@whereabouts/db/schema/usage'
import { sql } from 'kysely'
import type { Tx } from '../../db.ts'
import { tooManyPlans, tooManyReaders, tooManyZones } from '../../errors.ts'
import { deleteUnusedImages } from './floor-plans.queries.ts'

/**
 * Plans of deleted locations count too, otherwise they would have no limit. They are dropped as soon as their room is
 * needed, because nobody could remove it by hand.
 */

type NewPlan = {
  place: number
  zones: readonly Zone[]
  kept: readonly Zone[]
  readers: readonly PlacedReader[]
}

/**
 * Call under `lockPlace`. The zones that the plan may have: `zones`, and those of deleted locations (`kept`) if there is
 * room. Throws if there is no room for `zones` and `readers`.
 */
export async function admitPlan(tx: Tx, orgId: number, plan: NewPlan): Promise<Zone[]> {
  const { place, zones, kept, readers } = plan
  const all = [...kept, ...zones]
  if (!(await excess(tx, orgId, place, { zones: all, readers }))) return all
  await dropDeleted(tx, orgId)
  const problem = await excess(tx, orgId, place, { zones, readers })
  if (problem) throw problem
  return [...zones]
}

/** Call under `lockPlace`, before an image of `size` bytes is stored. Drops those of deleted locations if it needs their room. */
export async function makeRoomForImage(tx: Tx, orgId: number, size: number): Promise<void> {
  const images = (await readUsage(tx, orgId)).find(({ name }) => name === 'image_bytes')
  if (images && images.used + size <= images.limit) return
  await dropDeleted(tx, orgId)
  await deleteUnusedImages(tx, orgId)
}

/** The limit that the plan would exceed together with the others. */
async function excess(
  tx: Tx,
  orgId: number,
  place: number,
  { zones, readers }: Pick<NewPlan, 'zones' | 'readers'>,
): Promise<AppError | undefined> {
  const { rows } = await sql<{ plans: number; zones: number; readers: number }>`
    select count(*) as plans, coalesce(sum(jsonb_array_length(zones)), 0)::int as zones,
      coalesce(sum(jsonb_array_length(readers)), 0)::int as readers
    from floor_plan where org_id = ${orgId} and place <> ${place}`.execute(tx)
  const [others] = rows
  if (!others) return undefined
  if (others.plans + 1 > floorLimits.plans) return tooManyPlans()
  if (others.zones + zones.length > floorLimits.zones) return tooManyZones()
  return others.readers + readers.length > floorLimits.readers ? tooManyReaders() : undefined
}

/** Deletes the plans and zones of deleted locations. */
async function dropDeleted(tx: Tx, orgId: number): Promise<void> {
  await sql`delete from floor_plan where org_id = ${orgId} and place <> 0 and not exists (
    select from location where org_id = ${orgId} and id = place and deleted_at is null)`.execute(tx)
  await sql`update floor_plan set zones = (
      select coalesce(jsonb_agg(zone order by n), '[]') from jsonb_array_elements(zones) with ordinality as each (zone, n)
      where exists (select from location where org_id = ${orgId} and id = (zone ->> 'location_id')::bigint
        and deleted_at is null))
    where org_id = ${orgId}`.execute(tx)
}

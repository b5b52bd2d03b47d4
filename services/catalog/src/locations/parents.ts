import type { LocationCreate } from '@whereabouts/contracts/resources/catalog/locations'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import type { LocationRow, Tx } from '../db.ts'
import { locationInsideItself, parentNotFound, parentsDiffer } from '../errors.ts'
import { pinParent, type Parent } from './locations.queries.ts'
import { isInside } from './moves.queries.ts'

type ParentRef = Pick<LocationCreate, 'parent_id' | 'parent_external_key'>

/**
 * The parent that a body names by id, by key or by both (D5.3); undefined for a root. It stays live until the
 * transaction ends. If both are sent, the key is resolved first. The schema has refused a body where only one of them
 * is null.
 */
export async function resolveParent(tx: Tx, orgId: number, ref: ParentRef): Promise<Parent | undefined> {
  const found = await findParent(tx, orgId, ref)
  if (found instanceof AppError) throw found
  return found
}

export const namesParent = ({ parent_id, parent_external_key }: ParentRef): boolean =>
  parent_id !== undefined || parent_external_key !== undefined

/**
 * The move of a PATCH with a parent, or its error: a field error, or a conflict if the parent is the location itself or
 * below it (D5.4). Empty if the parent does not change. Call under `lockTree` and the lock of the row.
 */
export async function findMove(
  tx: Tx,
  orgId: number,
  { id, external_key, parent_id }: Pick<LocationRow, 'id' | 'external_key' | 'parent_id'>,
  ref: ParentRef,
): Promise<{ parent_id?: number | null } | AppError> {
  const parent = await findParent(tx, orgId, ref)
  if (parent instanceof AppError) return parent
  if ((parent?.id ?? null) === parent_id) return {}
  if (parent && (await isInside(tx, orgId, parent.id, id))) return locationInsideItself(external_key)
  return { parent_id: parent?.id ?? null }
}

async function findParent(
  tx: Tx,
  orgId: number,
  { parent_id, parent_external_key }: ParentRef,
): Promise<Parent | undefined | AppError> {
  if (typeof parent_external_key === 'string') {
    const parent = await pinParent(tx, orgId, { external_key: parent_external_key })
    if (!parent) return parentNotFound('parent_external_key')
    return typeof parent_id === 'number' && parent_id !== parent.id ? parentsDiffer() : parent
  }
  if (typeof parent_id !== 'number') return undefined
  return (await pinParent(tx, orgId, { id: parent_id })) ?? parentNotFound('parent_id')
}

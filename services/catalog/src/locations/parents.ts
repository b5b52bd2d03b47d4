import type { LocationCreate } from '@whereabouts/contracts/locations'
import type { Tx } from '../db.ts'
import { parentNotFound, parentsDiffer } from '../errors.ts'
import { pinParent, type Parent } from './locations.queries.ts'

/**
 * The parent that a body names by id, by key or by both (D5.3); undefined for a root. It stays live until the
 * transaction ends. With both sent, the key is resolved first. That one is null and the other set was refused with
 * the shape of the body.
 */
export async function resolveParent(
  tx: Tx,
  orgId: number,
  { parent_id, parent_external_key }: Pick<LocationCreate, 'parent_id' | 'parent_external_key'>,
): Promise<Parent | undefined> {
  if (typeof parent_external_key === 'string') {
    const parent = await pinParent(tx, orgId, { external_key: parent_external_key })
    if (!parent) throw parentNotFound('parent_external_key')
    if (typeof parent_id === 'number' && parent_id !== parent.id) throw parentsDiffer()
    return parent
  }
  if (typeof parent_id !== 'number') return undefined
  const parent = await pinParent(tx, orgId, { id: parent_id })
  if (!parent) throw parentNotFound('parent_id')
  return parent
}

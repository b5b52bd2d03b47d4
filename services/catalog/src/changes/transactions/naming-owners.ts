import type { ConflictOwner } from '@whereabouts/contracts/errors'
import { matchValue, uniqueForm } from '@whereabouts/contracts/resources/catalog/tag-matching'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { sql } from 'kysely'
import type { Db } from '../../db.ts'
import { TakenError, type Wanted } from '../../errors.ts'

/**
 * The error of a transaction that has been rolled back, with who has the key or tag that it wanted (D12.3). The same error
 * if nobody has it any more, or if it is another error.
 */
export async function namingOwner(db: Db, orgId: number, error: unknown): Promise<unknown> {
  if (!(error instanceof TakenError)) return error
  const conflict = await findOwner(db, orgId, error.wanted).catch(() => undefined) // the refusal stands without it
  return conflict ? new AppError(error.type, error.message, { conflict }) : error
}

async function findOwner(db: Db, orgId: number, wanted: Wanted): Promise<ConflictOwner | undefined> {
  if ('resource' in wanted) {
    const { resource, external_key } = wanted
    const row = await db
      .selectFrom(resource)
      .select(['id', 'external_key'])
      .where('org_id', '=', orgId)
      .where('external_key', '=', external_key)
      .where('deleted_at', 'is', null)
      .executeTakeFirst()
    return row && { resource, ...row }
  }
  const row = await db
    .selectFrom('tag')
    .leftJoin('asset', (join) =>
      join.onRef('asset.org_id', '=', 'tag.org_id').onRef('asset.id', '=', 'tag.asset_id'),
    )
    .leftJoin('location', (join) =>
      join.onRef('location.org_id', '=', 'tag.org_id').onRef('location.id', '=', 'tag.location_id'),
    )
    .select(['asset.id as asset_id', 'asset.external_key as asset_key'])
    .select(['location.id as location_id', 'location.external_key as location_key'])
    .where('tag.org_id', '=', orgId)
    .where('tag.tag_type', '=', wanted.tag_type)
    .where('tag.match_value', '=', matchValue(wanted.tag_type, wanted.value))
    // Barcodes are unique in that form, others in their own; twins are from before a spelling was the same.
    .where(
      sql<boolean>`(tag.tag_type = 'barcode' or tag.is_twin or tag.value = ${uniqueForm(wanted.tag_type, wanted.value)})`,
    )
    .where('tag.deleted_at', 'is', null)
    .executeTakeFirst()
  if (row?.asset_id != null && row.asset_key !== null)
    return { resource: 'asset', id: row.asset_id, external_key: row.asset_key }
  if (row?.location_id != null && row.location_key !== null)
    return { resource: 'location', id: row.location_id, external_key: row.location_key }
  return undefined
}

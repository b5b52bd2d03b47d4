import { sql } from 'kysely'
import type { Db } from '../../../db.ts'
import { BATCH_ROWS } from '../batch.ts'
import { idsOf, instantsOf, packedIds, packedInstants, packedTexts } from './packed-columns.ts'

type Texts = (string | null)[]
type Packed<T extends string> = Record<T, Buffer> & { external_key: Texts; name: Texts }

/** All assets, deleted or not, with where they are, by id. */
export async function* assetRows(db: Db, orgId: number) {
  let last = 0
  for (;;) {
    const { rows } = await sql<
      Packed<'id' | 'valid_from' | 'valid_to' | 'deleted_at' | 'location_id' | 'observed_at'>
    >`
      select ${packedIds('id')} as id, ${packedTexts('external_key')} as external_key, ${packedTexts('name')} as name,
        ${packedInstants('valid_from')} as valid_from, ${packedInstants('valid_to')} as valid_to,
        ${packedInstants('deleted_at')} as deleted_at, ${packedIds('location_id')} as location_id,
        ${packedInstants('observed_at')} as observed_at
      from (
        select a.id, a.external_key, a.name, a.valid_from, a.valid_to, a.deleted_at, p.location_id, p.observed_at
        from asset a left join position p on p.org_id = a.org_id and p.asset_id = a.id
        where a.org_id = ${orgId} and a.id > ${last} order by a.id limit ${BATCH_ROWS}) as page`.execute(db)
    const [page] = rows
    const ids = idsOf(page?.id ?? Buffer.alloc(0))
    if (!page || ids.length === 0) return
    yield {
      id: ids,
      external_key: page.external_key,
      name: page.name,
      valid_from: instantsOf(page.valid_from),
      valid_to: instantsOf(page.valid_to),
      deleted_at: instantsOf(page.deleted_at),
      location_id: idsOf(page.location_id),
      observed_at: instantsOf(page.observed_at),
    }
    last = ids.at(-1) ?? last
  }
}

/** All locations, deleted or not, by id. */
export async function* locationRows(db: Db, orgId: number) {
  let last = 0
  for (;;) {
    const { rows } = await sql<Packed<'id' | 'deleted_at'>>`
      select ${packedIds('id')} as id, ${packedTexts('external_key')} as external_key, ${packedTexts('name')} as name,
        ${packedInstants('deleted_at')} as deleted_at
      from (
        select id, external_key, name, deleted_at from location
        where org_id = ${orgId} and id > ${last} order by id limit ${BATCH_ROWS}) as page`.execute(db)
    const [page] = rows
    const ids = idsOf(page?.id ?? Buffer.alloc(0))
    if (!page || ids.length === 0) return
    yield {
      id: ids,
      external_key: page.external_key,
      name: page.name,
      deleted_at: instantsOf(page.deleted_at),
    }
    last = ids.at(-1) ?? last
  }
}

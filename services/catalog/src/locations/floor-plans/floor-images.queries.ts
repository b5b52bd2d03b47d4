import type { FloorImage, ImageType } from '@whereabouts/contracts/resources/catalog/floor-plans'
import type { Db, Tx } from '../../db.ts'

export type StoredImage = FloorImage & { media_type: ImageType; bytes: Buffer }

/** Call under `lockPlace`. Two plans may show the same image. */
export async function insertImage(tx: Tx, orgId: number, image: StoredImage): Promise<void> {
  await tx
    .insertInto('floor_image')
    .values({ org_id: orgId, ...image })
    .onConflict((on) => on.doNothing())
    .execute()
}

export const findImage = (db: Db, orgId: number, hash: string) =>
  db
    .selectFrom('floor_image')
    .select(['media_type', 'bytes'])
    .where('org_id', '=', orgId)
    .where('hash', '=', hash)
    .executeTakeFirst()

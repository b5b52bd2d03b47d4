import type { ImageType } from '@whereabouts/contracts/resources/catalog/floor-plans'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Tx } from '../../db.ts'
import { floorImageNotFound, floorPlanChanged, floorPlanNotFound } from '../../errors.ts'
import type { HandlerDeps } from '../../changes/transactions/transactions.ts'
import { limitTransfers, type Transfers } from '../../transfers.ts'
import { findImage, insertImage, type StoredImage } from './floor-images.queries.ts'
import {
  findLiveParents,
  findPlan,
  getPlan,
  lockPlace,
  requirePlace,
  savePlan,
} from './floor-plans.queries.ts'
import { placeOf, toPlanView } from './floor-plans.views.ts'
import { readImage } from './images/read-image.ts'
import { admitPlan, makeRoomForImage } from './limits.queries.ts'

/** Images are held in memory, where a slow client could collect many. A browser reads six at a time. */
const UPLOADS = {
  noun: 'uploads',
  concurrent: { user: 2, organization: 4 },
  perMinute: { user: 10, organization: 20 },
} as const
const IMAGES = { noun: 'images', concurrent: { user: 12, organization: 48 } } as const

/** An SVG is a document. Opened as a page, it must not run, load or frame anything. */
const AS_PICTURE = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
}

const extensions: Readonly<Record<ImageType, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
}

type Deps = HandlerDeps & { uploads?: Transfers; images?: Transfers }

export const floorImageHandlers = ({
  db,
  runInTransaction,
  uploads = limitTransfers(UPLOADS),
  images = limitTransfers(IMAGES),
}: Deps) =>
  ({
    async saveFloorImage({ principal: { orgId, userId }, params, query, upload, headers }) {
      const place = placeOf(params.place)
      const done = uploads.begin(orgId, userId)
      try {
        await requirePlace(db.forOrg(orgId), orgId, place)
        const image = toStored(await buffer(upload), headers['content-type'] ?? '')
        const save = async (tx: Tx) => {
          await lockPlace(tx, orgId, place)
          const stored = await findPlan(tx, orgId, place)
          refuseOther(query.version, stored?.version ?? 0)
          if (!stored) await admitPlan(tx, orgId, { place, zones: [], kept: [], readers: [] })
          await savePlan(tx, orgId, { place, image_hash: image.hash }, stored)
          await makeRoomForImage(tx, orgId, image.bytes.length)
          await insertImage(tx, orgId, image)
          return viewOf(tx, orgId, place)
        }
        return await runInTransaction(orgId, save, 'floor plans')
      } finally {
        done()
      }
    },

    async removeFloorImage({ principal: { orgId }, params, query }) {
      const place = placeOf(params.place)
      const remove = async (tx: Tx) => {
        await lockPlace(tx, orgId, place)
        const stored = await findPlan(tx, orgId, place)
        if (!stored) throw floorPlanNotFound()
        refuseOther(query.version, stored.version)
        await savePlan(tx, orgId, { place, image_hash: null }, stored)
        return viewOf(tx, orgId, place)
      }
      return runInTransaction(orgId, remove, 'floor plans')
    },

    /** The gateway adds how long a client may keep it. */
    async getFloorImage({ principal: { orgId, userId }, params: { hash } }) {
      const done = images.begin(orgId, userId)
      try {
        const image = await findImage(db.forOrg(orgId), orgId, hash)
        if (!image) throw floorImageNotFound()
        const content = Readable.from([image.bytes], { objectMode: false })
        content.once('close', done)
        return new Reply(content, {
          ...AS_PICTURE,
          'content-type': image.media_type,
          'content-length': String(image.bytes.length),
          'content-disposition': `inline; filename="floor-plan.${extensions[image.media_type]}"`,
        })
      } catch (error) {
        done()
        throw error
      }
    },
  }) satisfies Partial<Handlers<'catalog'>>

/** A person who has read another version has not seen what somebody changed since. */
function refuseOther(read: number | undefined, stored: number): void {
  if (read !== undefined && read !== stored) throw floorPlanChanged()
}

/** Throws `invalidImage`. */
function toStored(bytes: Buffer, contentType: string): StoredImage {
  const hash = createHash('sha256').update(bytes).digest('hex')
  return { hash, ...readImage(bytes, contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''), bytes }
}

async function viewOf(tx: Tx, orgId: number, place: number) {
  const plan = await getPlan(tx, orgId, place)
  return { data: toPlanView(plan, await findLiveParents(tx, orgId, [plan])) }
}

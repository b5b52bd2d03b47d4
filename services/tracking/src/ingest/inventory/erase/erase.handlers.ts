import { audit, changesOf } from '@whereabouts/db/outbox/audit'
import { microsecondsOf } from '../../../positions/packed/day-rows.ts'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { CatalogView } from '../../../catalog/catalog-view.ts'
import type { FindAsset } from '../../../catalog/finders.ts'
import type { Tables } from '../../../db.ts'
import { assetNotFound } from '../../../errors.ts'
import { eraseHistory } from './erase.ts'
import type { Bounds } from './erase.queries.ts'

type Deps = { db: TenantDatabase<Tables>; view: CatalogView; findAsset: FindAsset; log: Logger }

/** Erases where an asset was (D22.2). Also of a deleted asset: its history may be that of a person who left. */
export const eraseHandlers = ({
  db,
  view,
  findAsset,
  log,
}: Deps): Pick<Handlers<'tracking'>, 'eraseAssetHistory'> => ({
  async eraseAssetHistory({ principal: { orgId, userId }, params: { asset_id: assetId }, body }) {
    const asset = (await findAsset(orgId, assetId)) ?? view.asset(orgId, assetId)
    if (!asset) throw assetNotFound()
    const data = await db.transaction(orgId, async (tx) => {
      const erased = await eraseHistory(tx, { orgId, assetId }, boundsOf(body))
      const subject = { type: 'history', id: assetId, external_key: asset.key }
      await audit(tx, orgId, {
        action: 'history.delete',
        subject,
        changes: changesOf({ ...body, ...erased }, undefined),
      })
      return erased
    })
    // After a restore of an older backup, the operator repeats it.
    log.info({ org_id: orgId, user_id: userId, asset_id: assetId, ...body, ...data }, 'history was erased')
    return { data }
  },
})

export const boundsOf = ({ from, to }: { from?: string | undefined; to?: string | undefined }): Bounds => ({
  from: from === undefined ? undefined : { text: from, us: microsecondsOf(from) },
  to: to === undefined ? undefined : { text: to, us: microsecondsOf(to) },
})

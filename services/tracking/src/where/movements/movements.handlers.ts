import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { validationFailed } from '@whereabouts/service-kit/errors/errors'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { Tables } from '../../db.ts'
import type { CatalogView } from '../../catalog/catalog-view.ts'
import { cursorOf, placeOf } from './cursor.ts'
import { listMovements } from './movements.queries.ts'

type Deps = { db: TenantDatabase<Tables>; view: CatalogView }

export const movementHandlers = ({ db, view }: Deps): Pick<Handlers<'tracking'>, 'listMovements'> => ({
  async listMovements({ principal: { orgId }, query }) {
    const { from, to, limit, asset_id, location_id, type, include_descendants: isDeep = false } = query
    const after = query.after === undefined ? undefined : placeOf(orgId, query.after)
    if (query.after !== undefined && !after) throw notACursor()
    const locationIds = location_id && (isDeep ? view.withDescendants(orgId, location_id) : location_id)
    const filter = {
      from,
      to,
      assetIds: asset_id && unique(asset_id),
      locationIds: locationIds && unique(locationIds),
      type: type && {
        has: (id: number) => view.types.isOneOf(orgId, id, type),
        ids: () => view.types.idsOf(orgId, type),
      },
    }
    // One row more shows whether there is another page.
    const rows = await listMovements(db.forOrg(orgId), orgId, { ...filter, after }, limit + 1)
    const data = rows.slice(0, limit).map((row) => row.movement)
    const last = rows.length > limit ? rows[limit - 1] : undefined
    const cursor = last ? cursorOf(orgId, { at: last.at, assetId: last.movement.asset.id }) : null
    return { data, cursor, has_more: last !== undefined }
  },
})

const unique = (ids: readonly number[]) => [...new Set(ids)]

const notACursor = () =>
  validationFailed([{ field: 'after', code: 'invalid_value', message: 'after must be the cursor of a page' }])

import type { AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import { serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import { listWithAncestors } from '../../changes/messages/ancestors.queries.ts'
import type { Db } from '../../db.ts'
import { listLiveNames } from '../../locations/live-keys.queries.ts'
import { ifAvailable } from '../tracking/current-locations.ts'
import type { Tracking } from '../tracking/tracking.ts'

/**
 * The assets with their home, and whether they are there (D21.1). Asks tracking once for a whole page. Catalog looks up the tree
 * and the names, because tracking learns about a change later.
 */
export async function expandHome<View extends AssetView>(
  db: Db,
  tracking: Tracking,
  orgId: number,
  views: readonly View[],
) {
  const withHome = views.filter(({ home_location_external_key: key }) => key !== null)
  const found = await locationsOf(tracking, orgId, withHome.map(({ id }) => id)) // oxfmt-ignore
  const homes = withHome.flatMap(({ home_location_id: id }) => id ?? [])
  const names = await listLiveNames(db, orgId, [...new Set(homes)])
  const within = await listWithAncestors(db, orgId, [...new Set(found.values())])
  return views.map((view) => {
    const { home_location_id: home } = view
    const name = home === null ? undefined : names.get(home)
    const above = within.get(found.get(view.id) ?? 0)
    return {
      ...view,
      home_location: home !== null && name ? { id: home, ...name } : null,
      is_home: home !== null && name && above ? above.includes(home) : null,
    }
  })
}

async function locationsOf(tracking: Tracking, orgId: number, ids: readonly number[]) {
  if (ids.length === 0) return new Map<number, number>()
  const found = await ifAvailable(tracking.locationsOf(orgId, ids))
  if (!found) throw serviceUnavailable()
  return found
}

import type { Handlers } from '@whereabouts/service-kit/serve'
import type { HandlerDeps } from '../change.ts'
import { locationNotFound } from '../errors.ts'
import { pageOf } from '../lists/conditions.ts'
import type { Cut } from '../lists/page.ts'
import { findLocation } from '../locations/locations.queries.ts'
import { toLocationView } from '../locations/locations.views.ts'
import { listAncestors, listChildren, listDescendants } from './tree.queries.ts'

type Asked = { principal: { orgId: number }; params: { location_id: number }; query: Cut }

export const treeHandlers = ({ db }: Pick<HandlerDeps, 'db'>) => {
  const answering =
    (list: typeof listChildren) =>
    async ({ principal: { orgId }, params: { location_id }, query }: Asked) => {
      const { rows, total } = await list(db.forOrg(orgId), orgId, location_id, query)
      // Whoever has live locations around is live; of others it is not known yet.
      if (total === 0 && !(await findLocation(db.forOrg(orgId), orgId, location_id))) throw locationNotFound()
      return { data: rows.map((row) => toLocationView(row, row.tags)), ...pageOf(query), total_count: total }
    }
  return {
    listLocationAncestors: answering(listAncestors),
    listLocationChildren: answering(listChildren),
    listLocationDescendants: answering(listDescendants),
  } satisfies Partial<Handlers<'catalog'>>
}

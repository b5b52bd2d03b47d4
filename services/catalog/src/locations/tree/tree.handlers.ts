import type { Handlers } from '@whereabouts/service-kit/http/serve'
import { locationNotFound } from '../../errors.ts'
import { pageOf } from '../../lists/conditions.ts'
import type { PageRange } from '../../lists/page.ts'
import { findLocation } from '../locations.queries.ts'
import { toLocationView } from '../locations.views.ts'
import type { HandlerDeps } from '../../changes/transactions/transactions.ts'
import { listAncestors, listBranch, listChildren, listDescendants } from './tree.queries.ts'

type TreeRequest = { principal: { orgId: number }; params: { location_id: number }; query: PageRange }

export const treeHandlers = ({ db }: Pick<HandlerDeps, 'db'>) => {
  const listing =
    (list: typeof listChildren) =>
    async ({ principal: { orgId }, params: { location_id }, query }: TreeRequest) => {
      const { rows, total } = await list(db.forOrg(orgId), orgId, location_id, query)
      // A location with live relatives is live. Any other must be looked up.
      if (total === 0 && !(await findLocation(db.forOrg(orgId), orgId, location_id))) throw locationNotFound()
      return { data: rows.map((row) => toLocationView(row, row.tags)), ...pageOf(query), total_count: total }
    }
  return {
    async listLocationBranch({ principal: { orgId }, query }) {
      const { parent_id: parentId } = query
      const { rows, total } = await listBranch(db.forOrg(orgId), orgId, parentId, query)
      const mayBeMissing = total === 0 && parentId !== undefined
      if (mayBeMissing && !(await findLocation(db.forOrg(orgId), orgId, parentId))) throw locationNotFound()
      const data = rows.map((row) =>
        Object.assign(toLocationView(row, row.tags), { children_count: row.children_count }),
      )
      return { data, ...pageOf(query), total_count: total }
    },
    listLocationAncestors: listing(listAncestors),
    listLocationChildren: listing(listChildren),
    listLocationDescendants: listing(listDescendants),
  } satisfies Partial<Handlers<'catalog'>>
}

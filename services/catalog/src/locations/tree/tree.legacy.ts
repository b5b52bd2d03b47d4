import type { Handlers } from '@whereabouts/service-kit/http/serve'
import { getIdByKey } from '../../tags/external-keys/external-keys.queries.ts'
import type { PageRange } from '../../lists/page.ts'
import { toLegacyLocations } from '../locations.legacy.ts'
import type { HandlerDeps } from '../../changes/transactions/transactions.ts'
import { treeHandlers } from './tree.handlers.ts'

type TreeRequest = { principal: { orgId: number }; params: { identifier: string }; query: PageRange }

/** The legacy vocabulary of the tree: a key in the path, legacy views in the reply. */
export const legacyTreeHandlers = ({ db }: Pick<HandlerDeps, 'db'>) => {
  const current = treeHandlers({ db })
  const listing =
    (list: typeof current.listLocationChildren) =>
    async ({ principal, params: { identifier }, query }: TreeRequest) => {
      const { orgId } = principal
      const location_id = await getIdByKey(db.forOrg(orgId), orgId, 'location', identifier)
      const page = await list({ principal, params: { location_id }, query })
      return { ...page, data: await toLegacyLocations(db.forOrg(orgId), orgId, page.data) }
    }
  return {
    listLegacyLocationAncestors: listing(current.listLocationAncestors),
    listLegacyLocationChildren: listing(current.listLocationChildren),
    listLegacyLocationDescendants: listing(current.listLocationDescendants),
  } satisfies Partial<Handlers<'catalog'>>
}

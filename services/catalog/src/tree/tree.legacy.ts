import type { Handlers } from '@whereabouts/service-kit/serve'
import type { HandlerDeps } from '../transactions/transactions.ts'
import { getIdByKey } from '../external-keys/external-keys.queries.ts'
import type { Cut } from '../lists/page.ts'
import { toLegacyLocations } from '../locations/locations.legacy.ts'
import { treeHandlers } from './tree.handlers.ts'

type Asked = { principal: { orgId: number }; params: { identifier: string }; query: Cut }

/** The legacy vocabulary of the tree: a key in the path, legacy views in the reply. */
export const legacyTreeHandlers = ({ db }: Pick<HandlerDeps, 'db'>) => {
  const current = treeHandlers({ db })
  const answering =
    (list: typeof current.listLocationChildren) =>
    async ({ principal, params: { identifier }, query }: Asked) => {
      const { orgId } = principal
      const location_id = await getIdByKey(db.forOrg(orgId), orgId, 'location', identifier)
      const page = await list({ principal, params: { location_id }, query })
      return { ...page, data: await toLegacyLocations(db.forOrg(orgId), orgId, page.data) }
    }
  return {
    listLegacyLocationAncestors: answering(current.listLocationAncestors),
    listLegacyLocationChildren: answering(current.listLocationChildren),
    listLegacyLocationDescendants: answering(current.listLocationDescendants),
  } satisfies Partial<Handlers<'catalog'>>
}

import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { HandlerDeps } from '../../changes/transactions/transactions.ts'
import { listByKey, listMatchingTags } from './value-lookup.queries.ts'
import { rowsOf } from './value-lookup.rules.ts'

export const valueLookupHandlers = ({ db }: Pick<HandlerDeps, 'db'>) =>
  ({
    async lookUpValues({ principal: { orgId }, body: { values } }) {
      const own = db.forOrg(orgId)
      const assets = await listByKey(own, orgId, 'asset', values)
      const locations = await listByKey(own, orgId, 'location', values)
      const tags = await listMatchingTags(own, orgId, values)
      return { data: rowsOf(values, { assets, locations, tags }) }
    },
  }) satisfies Partial<Handlers<'catalog'>>

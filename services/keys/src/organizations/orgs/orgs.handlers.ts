import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { Tenants } from '../../db.ts'
import { keyOnly, orgNotFound } from '../../errors.ts'
import { findOrg } from './orgs.queries.ts'

export function orgHandlers({ tenants }: { tenants: Tenants }): Pick<Handlers<'keys'>, 'getCurrentOrg'> {
  return {
    async getCurrentOrg({ principal }) {
      if (principal.keyId === undefined) throw keyOnly() // a session has no key to show (D9.8)
      const org = await findOrg(tenants.forOrg(principal.orgId), principal.orgId)
      if (!org) throw orgNotFound()
      const { id, name } = org
      return { data: { id, name, scopes: [...principal.scopes], api_key_id: principal.keyId } }
    },
  }
}

import type { Handlers } from '@whereabouts/service-kit/serve'
import type { Tenants } from '../db.ts'
import { keyOnly, orgNotFound } from '../errors.ts'
import { lockMembersAsAdmin } from '../members/acting-member.ts'
import { findOrg, updateOrgName } from './orgs.queries.ts'
import { enqueueOrgState } from './orgs.state.ts'

type OrgDeps = {
  tenants: Tenants
  /** Called after a commit that put something into the outbox. */
  onChange: () => void
}

export function orgHandlers({
  tenants,
  onChange,
}: OrgDeps): Pick<Handlers<'keys'>, 'getCurrentOrg' | 'updateOrg'> {
  return {
    async getCurrentOrg({ principal }) {
      if (principal.keyId === undefined) throw keyOnly() // a session has no key to show (D9.8)
      const org = await findOrg(tenants.forOrg(principal.orgId), principal.orgId)
      if (!org) throw orgNotFound()
      const { id, name } = org
      return { data: { id, name, scopes: [...principal.scopes], api_key_id: principal.keyId } }
    },

    async updateOrg({ principal, body }) {
      const org = await tenants.transaction(principal.orgId, async (tx) => {
        const { orgId } = await lockMembersAsAdmin(tx, principal)
        const renamed = await updateOrgName(tx, orgId, body.name)
        if (renamed) await enqueueOrgState(tx, renamed)
        return renamed ?? findOrg(tx, orgId)
      })
      onChange()
      if (!org) throw orgNotFound()
      return { data: { id: org.id, name: org.name, created_at: org.created_at } }
    },
  }
}

import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { Tenants } from '../../db.ts'
import { orgNotFound } from '../../errors.ts'
import { lockMembersAsAdmin } from '../members/acting-member.ts'
import { findOrg, updateOrgName } from '../orgs/orgs.queries.ts'
import { enqueueOrgState } from '../orgs/orgs.state.ts'

type Deps = {
  tenants: Tenants
  /** Called after a commit that put something into the outbox. */
  onChange: () => void
}

/** What administrators change about their organization. Not in `orgs/`, which knows no members. */
export function organizationHandlers({ tenants, onChange }: Deps): Pick<Handlers<'keys'>, 'updateOrg'> {
  return {
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

import { validationFailed } from '@whereabouts/service-kit/errors/errors'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { Tenants } from '../../db.ts'
import { lockMembersAsAdmin } from '../../organizations/members/acting-member.ts'
import { findOrg } from '../../organizations/orgs/orgs.queries.ts'
import { deleteOrganization } from './delete-organization.ts'

type Deps = {
  tenants: Tenants
  /** Called after a commit that put something into the outbox. */
  onChange: () => void
}

/** Not in `organizations/`, which knows no keys. */
export function deletionHandlers({ tenants, onChange }: Deps): Pick<Handlers<'keys'>, 'deleteOrg'> {
  return {
    async deleteOrg({ principal, body: { name } }) {
      await tenants.transaction(principal.orgId, async (tx) => {
        const { orgId } = await lockMembersAsAdmin(tx, principal)
        const org = await findOrg(tx, orgId)
        if (org?.name !== name) throw otherName()
        await deleteOrganization(tx, orgId)
      })
      onChange()
      return undefined
    },
  }
}

const otherName = () =>
  validationFailed([
    { field: 'name', code: 'invalid_value', message: 'name must be exactly the name of the organization' },
  ])

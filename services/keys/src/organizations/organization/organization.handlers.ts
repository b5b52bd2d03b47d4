import { serviceUnavailable, validationFailed } from '@whereabouts/service-kit/errors/errors'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { Usage } from '@whereabouts/contracts/messages/usage'
import type { FieldEntry } from '@whereabouts/contracts/errors'
import { assetTypes, type AssetType } from '@whereabouts/contracts/resources/catalog/assets'
import type { RetentionUpdate } from '@whereabouts/contracts/resources/keys/accounts'
import type { Tenants } from '../../db.ts'
import { orgNotFound } from '../../errors.ts'
import { lockMembersAsAdmin } from '../members/acting-member.ts'
import { findOrg, updateOrg } from '../orgs/orgs.queries.ts'
import { auditOrg, enqueueOrgState } from '../orgs/orgs.state.ts'
import { organizationView, retentionOf, shown } from './organization.views.ts'

type Deps = {
  tenants: Tenants
  /** Tells also for how many days the installation keeps history. */
  usageElsewhere: (orgId: number) => Promise<Usage[]>
  /** Called after a commit that put something into the outbox. */
  onChange: () => void
}

/** What administrators change about their organization. Not in `orgs/`, which knows no members. */
export function organizationHandlers({
  tenants,
  usageElsewhere,
  onChange,
}: Deps): Pick<Handlers<'keys'>, 'getOrg' | 'updateOrg'> {
  return {
    async getOrg({ principal: { orgId } }) {
      const org = await findOrg(tenants.forOrg(orgId), orgId)
      if (!org) throw orgNotFound()
      return { data: organizationView(org) }
    },

    async updateOrg({ principal, body }) {
      const { retention_days: wanted } = body
      if (wanted) await refuseMoreThanKept(wanted, () => usageElsewhere(principal.orgId))
      const org = await tenants.transaction(principal.orgId, async (tx) => {
        const { orgId } = await lockMembersAsAdmin(tx, principal)
        const before = await findOrg(tx, orgId)
        const changed = await updateOrg(tx, orgId, body)
        if (changed) {
          await enqueueOrgState(tx, changed)
          await auditOrg(tx, before, changed)
        }
        return changed ?? findOrg(tx, orgId)
      })
      onChange()
      if (!org) throw orgNotFound()
      const zone = body.timezone !== undefined && { timezone: org.timezone }
      return { data: { ...shown(org), ...zone, ...(wanted && { retention_days: retentionOf(org) }) } }
    },
  }
}

/** Tracking is asked for what the installation keeps, because it is what deletes history. */
async function refuseMoreThanKept(wanted: RetentionUpdate, usage: () => Promise<Usage[]>) {
  const days = assetTypes.flatMap((type) => (wanted[type] ? [{ type, days: wanted[type] }] : []))
  if (days.length === 0) return
  const limits = await usage().catch((error: unknown) => {
    throw serviceUnavailable(error)
  })
  const max = limits.find(({ name }) => name === 'history_days')?.limit ?? Infinity
  const [first, ...others] = days.flatMap((one) => (one.days > max ? [keptForLess(one.type, max)] : []))
  if (first) throw validationFailed([first, ...others])
}

function keptForLess(type: AssetType, max: number): FieldEntry {
  const field = `retention_days.${type}`
  const message = `${field} must be ≤ ${max}, the days for which this installation keeps history`
  return { field, code: 'too_large', message, params: { max } }
}

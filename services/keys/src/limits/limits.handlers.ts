import { serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { Tenants } from '../db.ts'
import { orgNotFound } from '../errors.ts'
import { keyUsage, type UsageElsewhere } from './usage.queries.ts'

type Deps = { tenants: Tenants; usageElsewhere: UsageElsewhere }

export function limitHandlers({ tenants, usageElsewhere }: Deps): Pick<Handlers<'keys'>, 'listLimits'> {
  return {
    async listLimits({ principal: { orgId } }) {
      const elsewhere = usageElsewhere(orgId).catch((error: unknown) => {
        throw serviceUnavailable(error)
      })
      const [others, own] = await Promise.all([elsewhere, keyUsage(tenants.forOrg(orgId), orgId)])
      if (!own) throw orgNotFound()
      return { data: [...others, own] }
    },
  }
}

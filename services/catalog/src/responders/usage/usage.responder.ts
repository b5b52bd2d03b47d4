import { catalogUsage } from '@whereabouts/contracts/messages/usage'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { readUsage } from '@whereabouts/db/schema/usage'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { respond, type Responder } from '@whereabouts/messaging/messages/request'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Tables } from '../../db.ts'

/** Answers `rpc.catalog.usage`. One replica answers each request. */
export const serveUsage = (broker: Broker, db: TenantDatabase<Tables>, logger: Logger): Responder =>
  respond(
    broker,
    catalogUsage.subject,
    'catalog-usage',
    async (payload) => {
      const { org_id: orgId } = catalogUsage.request.parse(payload)
      return readUsage(db.forOrg(orgId), orgId)
    },
    { logger },
  )

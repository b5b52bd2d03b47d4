import { catalogUsage } from '@whereabouts/contracts/messages/usage'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { readUsage } from '@whereabouts/db/schema/usage'
import { answering } from '@whereabouts/messaging/messages/request'
import type { Tables } from '../../db.ts'

/** Answers `rpc.catalog.usage`. */
export const { serve: serveUsage } = answering(
  catalogUsage,
  'not a request for usage',
  async (db: TenantDatabase<Tables>, { org_id: orgId }) => readUsage(db.forOrg(orgId), orgId),
)

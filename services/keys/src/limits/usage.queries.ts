import { catalogUsage, trackingUsage, UsageReply, type Usage } from '@whereabouts/contracts/messages/usage'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { request } from '@whereabouts/messaging/messages/request'
import { countUsableKeys } from '../credentials/api-keys/api-keys.queries.ts'
import type { Db } from '../db.ts'
import { findOrg } from '../organizations/orgs/orgs.queries.ts'

/** What the organization stores in other services. */
export type UsageElsewhere = (orgId: number) => Promise<Usage[]>

const TIMEOUT_MS = 2_000

/** What the organization stores in other services. Rejects with a `RequestError` if one of them does not answer. */
export async function askUsage(broker: Broker, orgId: number): Promise<Usage[]> {
  const replies = await Promise.all(
    [catalogUsage, trackingUsage].map(({ subject }) =>
      request(broker, subject, { org_id: orgId }, { timeoutMs: TIMEOUT_MS }),
    ),
  )
  return replies.flatMap((reply) => UsageReply.parse(reply))
}

/** Undefined if there is no such organization. */
export async function keyUsage(db: Db, orgId: number): Promise<Usage | undefined> {
  const [org, used] = await Promise.all([findOrg(db, orgId), countUsableKeys(db, orgId)])
  return org && { name: 'api_keys', limit: org.api_key_limit, used }
}

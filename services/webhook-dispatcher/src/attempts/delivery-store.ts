import { batchCalls } from '@whereabouts/db/batch-calls'
import type { TenantDatabase } from '@whereabouts/db/tenant-database'
import type { Db, Tables } from '../db.ts'
import { findTargets, type Target } from '../webhooks/webhooks.queries.ts'
import {
  findProgress,
  LOG_SIZE,
  recordAttempts,
  type AttemptRecord,
  type Progress,
} from '../delivery-log/delivery-log.queries.ts'

/** What deliveries ask of the database. Rejects when it is away. */
export type DeliveryStore = {
  /** Where the organization's deliveries go, as of now; undefined without a webhook. */
  findTarget(orgId: number): Promise<Target | undefined>
  /** What the log knows of a delivery that comes again. */
  findProgress(orgId: number, deliveryId: string): Promise<Progress>
  recordAttempt(orgId: number, attempt: AttemptRecord): Promise<void>
}

const TARGETS_AT_ONCE = 500

/**
 * Deliveries of all organizations that are under way together are looked up, and logged, by one statement: each by
 * itself would cost more than its request to the receiver (ADR 28). Such a statement concerns many organizations and
 * runs as `across`; a target is handed to the organization that stands in its row, and its secret opens for no other.
 */
export function deliveryStore(tenants: Pick<TenantDatabase<Tables>, 'forOrg'>, across: Db): DeliveryStore {
  const findTarget = batchCalls((orgIds: readonly number[]) => findTargets(across, orgIds), {
    atMost: TARGETS_AT_ONCE,
  })
  const record = batchCalls(
    async (attempts: readonly (AttemptRecord & { org_id: number })[]) => {
      await recordAttempts(across, attempts)
      return attempts.map(() => undefined)
    },
    { atMost: LOG_SIZE }, // more than the ring holds would write a slot twice
  )
  return {
    findTarget,
    findProgress: (orgId, deliveryId) => findProgress(tenants.forOrg(orgId), orgId, deliveryId),
    recordAttempt: (org_id, attempt) => record({ ...attempt, org_id }),
  }
}

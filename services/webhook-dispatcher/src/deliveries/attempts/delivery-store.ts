import { batchCalls } from '@whereabouts/db/tenant/batch-calls'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { Db, Tables } from '../../db.ts'
import { findTargets, type Target } from '../../webhooks/webhooks.queries.ts'
import {
  findProgress,
  LOG_SIZE,
  recordAttempts,
  type AttemptRecord,
  type Progress,
} from '../../delivery-log/delivery-log.queries.ts'

/** Reads and writes that deliveries need. Rejects while the database is unreachable. */
export type DeliveryStore = {
  /** The current target of the organization's deliveries. Undefined: it has no webhook. */
  findTarget(orgId: number): Promise<Target | undefined>
  /** The attempts of a redelivered message, from the log. */
  findProgress(orgId: number, deliveryId: string): Promise<Progress>
  recordAttempt(orgId: number, attempt: AttemptRecord): Promise<void>
}

const TARGETS_AT_ONCE = 500

/**
 * Looks up and logs concurrent deliveries of all organizations with one statement. A statement for each would cost
 * more than its request to the receiver (ADR 28). Such a statement runs on `across`, which sees all organizations. A
 * delivery gets the row of its organization, and the secret in it opens for no other.
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
    { atMost: LOG_SIZE }, // more rows would write a slot of the ring twice
  )
  return {
    findTarget,
    findProgress: (orgId, deliveryId) => findProgress(tenants.forOrg(orgId), orgId, deliveryId),
    recordAttempt: (org_id, attempt) => record({ ...attempt, org_id }),
  }
}

import { nextRevision } from '@whereabouts/db/outbox/revisions'
import { sql } from 'kysely'
import type { RetentionUpdate } from '@whereabouts/contracts/resources/keys/accounts'
import type { Db, OrgRow, Tx } from '../../db.ts'

export function insertOrg(tx: Tx, name: string): Promise<OrgRow> {
  return tx.insertInto('org').values({ name }).returningAll().executeTakeFirstOrThrow()
}

export function findOrg(db: Db, orgId: number): Promise<OrgRow | undefined> {
  return db.selectFrom('org').selectAll().where('id', '=', orgId).executeTakeFirst()
}

/**
 * Undefined if there is none, or it is deleted. Call it, as a statement of its own, before any change of the organization or its members.
 * Locks on single rows cannot ensure that one administrator remains. The lock also orders the revisions of a membership
 * that is deleted and created again.
 */
export function lockOrg(tx: Tx, orgId: number): Promise<OrgRow | undefined> {
  const live = tx.selectFrom('org').selectAll().where('id', '=', orgId).where('deleted_at', 'is', null)
  return live.forNoKeyUpdate().executeTakeFirst()
}

export type OrgChanges = {
  name?: string | undefined
  timezone?: string | undefined
  retention_days?: RetentionUpdate | undefined
}

/**
 * Call under `lockOrg`. What is absent stays; null of `retention_days` is the installation's. Returns undefined if nothing
 * changes.
 */
export function updateOrg(
  tx: Tx,
  orgId: number,
  { name, timezone, retention_days = {} }: OrgChanges,
): Promise<OrgRow | undefined> {
  const named = sql<string>`coalesce(${name ?? null}::text, name)`
  const zone = sql<string>`coalesce(${timezone ?? null}::text, timezone)`
  const kept = sql<
    Record<string, number>
  >`jsonb_strip_nulls(retention_days || ${JSON.stringify(retention_days)}::jsonb)`
  return tx
    .updateTable('org')
    .set({ name: named, timezone: zone, retention_days: kept, revision: nextRevision })
    .where('id', '=', orgId)
    .where(sql<boolean>`(name, timezone, retention_days) is distinct from (${named}, ${zone}, ${kept})`)
    .returningAll()
    .executeTakeFirst()
}

/** Call under `lockOrg`. `endsAt` null: never. Returns undefined if nothing changes. */
export function updateSubscription(
  tx: Tx,
  orgId: number,
  endsAt: string | null,
): Promise<OrgRow | undefined> {
  return tx
    .updateTable('org')
    .set({ subscription_ends_at: endsAt, revision: nextRevision })
    .where('id', '=', orgId)
    .where('subscription_ends_at', 'is distinct from', endsAt)
    .returningAll()
    .executeTakeFirst()
}

/** Call under `lockOrg`. `value` null: the default of the service that stores it. API keys have a column of their own. */
export function updateLimit(tx: Tx, orgId: number, name: string, value: number | null): Promise<OrgRow> {
  const limits =
    value === null
      ? sql<Record<string, number>>`limits - ${name}::text`
      : sql<Record<string, number>>`limits || jsonb_build_object(${name}::text, ${value}::bigint)`
  const changed = name === 'api_keys' ? { api_key_limit: value ?? sql<number>`default` } : { limits }
  return tx
    .updateTable('org')
    .set({ ...changed, revision: nextRevision })
    .where('id', '=', orgId)
    .returningAll()
    .executeTakeFirstOrThrow()
}

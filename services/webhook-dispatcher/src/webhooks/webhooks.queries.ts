import { limits } from '@whereabouts/contracts/limits'
import { sql, type Selectable } from 'kysely'
import type { Db, Tables, Tx } from '../db.ts'
import { tooManyEndpoints, webhookExists } from '../errors.ts'
import { changedColumns, type Changes, type Settings } from './changed-columns.sql.ts'
import type { SealedSecret } from './secrets.ts'

const VIEW = [
  ...(['id', 'url', 'enabled', 'secret_last_four', 'event_types', 'retry', 'filter', 'is_primary'] as const),
  ...(['health', 'disabled_because', 'created_at', 'updated_at'] as const),
] as const

const NEXT_UPDATE = sql<string>`greatest(clock_timestamp(), updated_at + interval '1 millisecond')`

/** The columns that the console may see. The encrypted secret stays in the database. */
export type WebhookRow = Pick<Selectable<Tables['webhook']>, (typeof VIEW)[number]>

/** `/webhooks` knows the webhook of the contract alone, `/webhook-endpoints` all of them (D13.9). */
export type Known = 'primary' | 'all'

export const isKnown = (known: Known) => sql<boolean>`(is_primary or ${known === 'all'})`

/** The primary one first, then in the order of their creation. */
export function listWebhooks(
  db: Db,
  orgId: number,
  page: { limit: number; offset: number },
  known: Known,
): Promise<WebhookRow[]> {
  return db
    .selectFrom('webhook')
    .select(VIEW)
    .where('org_id', '=', orgId)
    .where(isKnown(known))
    .orderBy('is_primary', 'desc')
    .orderBy('created_at')
    .orderBy('id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
}

export async function countWebhooks(db: Db, orgId: number, known: Known): Promise<number> {
  const { count } = await db
    .selectFrom('webhook')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .where(isKnown(known))
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Undefined if the webhook is missing, not known at this path, or belongs to another organization. Callers must not see
 * the difference.
 */
export const findWebhook = (
  db: Db,
  orgId: number,
  id: number,
  known: Known,
): Promise<WebhookRow | undefined> => selectWebhook(db, orgId, id, known).executeTakeFirst()

/** The same, locked against other changes until the transaction ends. */
export const lockWebhook = (
  tx: Tx,
  orgId: number,
  id: number,
  known: Known,
): Promise<WebhookRow | undefined> => selectWebhook(tx, orgId, id, known).forUpdate().executeTakeFirst()

const selectWebhook = (db: Db, orgId: number, id: number, known: Known) =>
  db.selectFrom('webhook').select(VIEW).where('org_id', '=', orgId).where('id', '=', id).where(isKnown(known))

export type NewWebhook = SealedSecret & Settings & { url: string; enabled: boolean; secret_last_four: string }

/**
 * The webhook of the contract. Throws `webhookExists` for a second one. The constraint decides between concurrent
 * requests.
 */
export async function insertWebhook(db: Db, orgId: number, webhook: NewWebhook): Promise<WebhookRow> {
  try {
    return await db
      .insertInto('webhook')
      .values({ org_id: orgId, ...webhook })
      .returning(VIEW)
      .executeTakeFirstOrThrow()
  } catch (error) {
    throw violates(error, 'webhook_one_per_org') ? webhookExists() : error
  }
}

/** A further webhook. Throws `tooManyEndpoints`. One transaction per organization counts and inserts at a time. */
export async function insertEndpoint(tx: Tx, orgId: number, webhook: NewWebhook): Promise<WebhookRow> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`webhook-endpoints:${orgId}`}, 0))`.execute(tx)
  const { count } = await tx
    .selectFrom('webhook')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .where('is_primary', '=', false)
    .executeTakeFirstOrThrow()
  const max = limits.webhookEndpoints.organization
  if (count >= max) throw tooManyEndpoints(max)
  return tx
    .insertInto('webhook')
    .values({ org_id: orgId, ...webhook, is_primary: false })
    .returning(VIEW)
    .executeTakeFirstOrThrow()
}

/** An accepted change advances `updated_at`, even if it is empty. Undefined as for `findWebhook`. */
export function updateWebhook(
  db: Db,
  orgId: number,
  id: number,
  changes: Changes,
  known: Known = 'all',
): Promise<WebhookRow | undefined> {
  return db
    .updateTable('webhook')
    .set({ ...changedColumns(orgId, changes), updated_at: NEXT_UPDATE })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where(isKnown(known))
    .returning(VIEW)
    .executeTakeFirst()
}

/**
 * Replaces the secret. The one before signs for 24 h more, by the clock of the database; the one before that is gone
 * (D13.6). Undefined as for `findWebhook`.
 */
export function rotateSecret(
  db: Db,
  orgId: number,
  id: number,
  secret: SealedSecret & { secret_last_four: string },
  known: Known = 'all',
): Promise<WebhookRow | undefined> {
  return db
    .updateTable('webhook')
    .set((e) => ({
      previous_ciphertext: e.ref('secret_ciphertext'),
      previous_key_id: e.ref('secret_key_id'),
      previous_until: sql<string>`clock_timestamp() + interval '24 hours'`,
      ...secret,
      updated_at: NEXT_UPDATE,
    }))
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where(isKnown(known))
    .returning(VIEW)
    .executeTakeFirst()
}

/** Its deliveries and their statistics go with it. False if there is no such webhook. */
export async function deleteWebhook(
  db: Db,
  orgId: number,
  id: number,
  known: Known = 'all',
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('webhook')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where(isKnown(known))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** The columns of the secret before as a secret. */
export const sealOf = (ciphertext: Buffer | null, keyId: string | null): SealedSecret | undefined =>
  ciphertext && keyId !== null ? { secret_ciphertext: ciphertext, secret_key_id: keyId } : undefined

const violates = (error: unknown, constraint: string) =>
  error instanceof Error && 'constraint' in error && error.constraint === constraint

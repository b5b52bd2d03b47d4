import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { sql, type Selectable } from 'kysely'
import type { Db, Tables } from '../db.ts'
import { webhookExists } from '../errors.ts'
import type { SealedSecret, SealedSecrets } from './secrets.ts'
import { CLOCK_TOLERANCE_MS } from './webhooks.rules.ts'

const VIEW = ['id', 'url', 'enabled', 'secret_last_four', 'created_at', 'updated_at'] as const

const NEXT_UPDATE = sql<string>`greatest(clock_timestamp(), updated_at + interval '1 millisecond')`

/** The columns that the console may see. The encrypted secret stays in the database. */
export type WebhookRow = Pick<Selectable<Tables['webhook']>, (typeof VIEW)[number]>

/** At most one (D11.1). */
export function listWebhooks(
  db: Db,
  orgId: number,
  page: { limit: number; offset: number },
): Promise<WebhookRow[]> {
  return db
    .selectFrom('webhook')
    .select(VIEW)
    .where('org_id', '=', orgId)
    .orderBy('id')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
}

export async function countWebhooks(db: Db, orgId: number): Promise<number> {
  const { count } = await db
    .selectFrom('webhook')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow()
  return count
}

/** Undefined if the webhook is missing or belongs to another organization. Callers must not see the difference. */
export function findWebhook(db: Db, orgId: number, id: number): Promise<WebhookRow | undefined> {
  return db
    .selectFrom('webhook')
    .select(VIEW)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst()
}

export type NewWebhook = SealedSecret & { url: string; enabled: boolean; secret_last_four: string }

/**
 * Throws `webhookExists` for a second webhook. The constraint decides between concurrent requests. Events from before
 * an earlier webhook was deleted were meant for that one, so the tolerance for clocks does not reach back to them.
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

/** Switching on begins with what is recorded from now on, whoever made the deliveries before. */
const switchedOn = (enabled: unknown) => {
  const unless = (column: string, now = sql`null`) =>
    sql<never>`case when ${enabled} and not enabled then ${now} else ${sql.ref(column)} end`
  return {
    enabled_at: unless('enabled_at', sql`clock_timestamp()`),
    moves_position: unless('moves_position'),
    others_position: unless('others_position'),
    claimed_by: unless('claimed_by'),
    claimed_until: unless('claimed_until'),
  }
}

/**
 * An accepted change advances `updated_at`, even if it is empty. Switching on sets `enabled_at`, so that earlier
 * events are not delivered. Undefined as for `findWebhook`.
 */
export function updateWebhook(
  db: Db,
  orgId: number,
  id: number,
  changes: { url?: string | undefined; enabled?: boolean | undefined },
): Promise<WebhookRow | undefined> {
  const enabled = changes.enabled ?? sql<boolean>`enabled`
  return db
    .updateTable('webhook')
    .set({
      ...changes,
      ...switchedOn(enabled),
      updated_at: NEXT_UPDATE,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
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
    .returning(VIEW)
    .executeTakeFirst()
}

/** Also deletes its part of the delivery log, and remembers when. False if there is no such webhook. */
export async function deleteWebhook(db: Db, orgId: number, id: number): Promise<boolean> {
  const { rows } = await sql`
    with gone as (delete from webhook where org_id = ${orgId} and id = ${id} returning id),
      log as (delete from delivery_attempt a using gone where a.org_id = ${orgId} and a.webhook_id = gone.id),
      counter as (
        insert into delivery_counter as c (org_id, attempts, webhook_deleted_at)
        select ${orgId}, 0, clock_timestamp() from gone
        on conflict (org_id) do update set webhook_deleted_at = excluded.webhook_deleted_at)
    select id from gone`.execute(db)
  return rows.length > 0
}

/** The current target of an organization's deliveries. */
export type Target = SealedSecrets & { id: number; url: string; enabled: boolean; enabled_at: string }

/** Read before every attempt (D11.3). Undefined: the organization has no webhook. */
export async function findTarget(db: Db, orgId: number): Promise<Target | undefined> {
  const [target] = await findTargets(db, [orgId])
  return target
}

/** The same for many organizations, in their order. */
export async function findTargets(db: Db, orgIds: readonly number[]): Promise<(Target | undefined)[]> {
  const rows = await db
    .selectFrom('webhook')
    .select(['org_id', 'id', 'url', 'enabled', 'enabled_at', 'secret_ciphertext', 'secret_key_id'])
    .select(['previous_ciphertext', 'previous_key_id'])
    .select(sql<boolean>`coalesce(previous_until > clock_timestamp(), false)`.as('previous_signs'))
    .where(sql<boolean>`org_id = any(${bigints([...new Set(orgIds)])})`)
    .execute()
  const byOrg = new Map(
    rows.map(({ previous_signs, previous_ciphertext, previous_key_id, ...row }) => [
      row.org_id,
      { ...row, previous: previous_signs ? sealOf(previous_ciphertext, previous_key_id) : undefined },
    ]),
  )
  return orgIds.map((orgId) => byOrg.get(orgId))
}

/** The columns of the secret before as a secret. */
export const sealOf = (ciphertext: Buffer | null, keyId: string | null): SealedSecret | undefined =>
  ciphertext && keyId !== null ? { secret_ciphertext: ciphertext, secret_key_id: keyId } : undefined

const violates = (error: unknown, constraint: string) =>
  error instanceof Error && 'constraint' in error && error.constraint === constraint

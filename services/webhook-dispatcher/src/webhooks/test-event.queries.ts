import { sql } from 'kysely'
import type { Db } from '../db.ts'
import type { SealedSecrets } from './secrets.ts'
import { isKnown, sealOf, type Known } from './webhooks.queries.ts'

/** A bucket holds five test events and gets a new one every six seconds. */
const TEST_EVERY_S = 6
const TESTS_AT_ONCE = 5

/**
 * Counts a test event of the organization. Returns the seconds to wait if it sent too many. The count is in the
 * database: replicas share it, and it survives a restart and a new webhook.
 */
export async function takeTestEvent(db: Db, orgId: number): Promise<number | undefined> {
  const every = sql`make_interval(secs => ${TEST_EVERY_S}::int)`
  const { rows } = await sql`
    insert into delivery_counter as c (org_id, attempts, tests_until)
    values (${orgId}, 0, clock_timestamp() + ${every})
    on conflict (org_id) do update set tests_until = greatest(c.tests_until, clock_timestamp()) + ${every}
    where c.tests_until is null or c.tests_until <= clock_timestamp() + ${TESTS_AT_ONCE - 1}::int * ${every}
    returning org_id`.execute(db)
  if (rows.length > 0) return undefined
  const { wait } = await db
    .selectFrom('delivery_counter')
    .select(
      sql<number>`extract(epoch from tests_until - clock_timestamp())::float8 - ${TEST_EVERY_S * (TESTS_AT_ONCE - 1)}::int`.as(
        'wait',
      ),
    )
    .where('org_id', '=', orgId)
    .executeTakeFirstOrThrow()
  return Math.max(1, Math.ceil(wait))
}

/** Where a test event goes. Undefined as for `findWebhook`. */
export async function findReceiver(
  db: Db,
  orgId: number,
  id: number,
  known: Known,
): Promise<(SealedSecrets & { url: string }) | undefined> {
  const row = await db
    .selectFrom('webhook')
    .select(['url', 'secret_ciphertext', 'secret_key_id', 'previous_ciphertext', 'previous_key_id'])
    .select(sql<boolean>`coalesce(previous_until > clock_timestamp(), false)`.as('previous_signs'))
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where(isKnown(known))
    .executeTakeFirst()
  if (!row) return undefined
  const { url, secret_ciphertext, secret_key_id } = row
  const previous = row.previous_signs ? sealOf(row.previous_ciphertext, row.previous_key_id) : undefined
  return { url, secret_ciphertext, secret_key_id, previous }
}

import { randomUUID } from 'node:crypto'
import { sql, type Insertable, type Updateable } from 'kysely'
import type { Attempt, Db, DeliveryState, Tables } from '../src/db.ts'
import { addWebhook, test as dispatcherTest, type TestDispatcher } from './dispatcher.fixture.ts'
import { newEvent, record } from './events.fixture.ts'

/** An organization with its webhook, which has reached all that is recorded by `happen`. */
export type Owner = {
  orgId: number
  webhookId: number
  /** A further endpoint, or a change of the webhook. */
  endpoint: (changes?: Partial<Insertable<Tables['webhook']>>) => Promise<number>
  change: (changes: Updateable<Tables['webhook']>, id?: number) => Promise<void>
  /** Records events and returns them with their `seq`, oldest first. `reached` moves the positions beyond them. */
  happen: (count: number, options?: { type?: string; reached?: boolean }) => Promise<Recorded[]>
  ask: (method: 'GET' | 'POST', path: string, body?: unknown) => ReturnType<TestDispatcher['call']>
}

type Recorded = { seq: number; id: string; recorded_at: string; type: string }

export const test = dispatcherTest.extend<{ newOwner: () => Promise<Owner>; owner: Owner }>({
  newOwner: async ({ database: { db }, dispatcher, newOrg }, use) => {
    const { app, headersFor } = dispatcher()
    await use(async () => {
      const orgId = newOrg()
      const { id: webhookId } = await addWebhook(db, orgId, 'https://receiver.example/')
      const change: Owner['change'] = async (changes, id = webhookId) =>
        void (await db.updateTable('webhook').set(changes).where('id', '=', id).execute())
      return {
        orgId,
        webhookId,
        change,
        async endpoint(changes = {}) {
          const sealed = { secret_ciphertext: Buffer.alloc(0), secret_key_id: 'k1', secret_last_four: 'test' }
          const url = 'https://other.example/'
          const added = await db
            .insertInto('webhook')
            .values({ org_id: orgId, url, enabled: true, is_primary: false, ...sealed, ...changes })
            .returning('id')
            .executeTakeFirstOrThrow()
          return added.id
        },
        async happen(count, { type = 'asset.moved', reached = true } = {}) {
          const events = Array.from({ length: count }, (_, n) => newEvent(orgId, n, type))
          await record(db, events)
          const ids = events.map(({ id }) => id)
          const rows = await db
            .selectFrom('event')
            .select(['seq', 'id', 'recorded_at', 'type'])
            .where('org_id', '=', orgId)
            .where('id', 'in', ids)
            .orderBy('seq')
            .execute()
          const last = rows.at(-1)?.seq ?? 0
          if (reached)
            await db
              .updateTable('webhook')
              .set({ moves_position: last, others_position: last })
              .where('org_id', '=', orgId)
              .execute()
          return rows
        },
        async ask(method, path, body) {
          const headers = await headersFor(orgId)
          const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
          return app.inject({ method, url: `/api/v1${path}`, headers, ...payload })
        },
      }
    })
  },
  owner: async ({ newOwner }, use) => use(await newOwner()),
})

type Logged = {
  seq: number
  id?: string
  type?: string
  state?: DeliveryState
  occurred_at?: string
  last_at?: string
  next_attempt_at?: string | null
  log?: Attempt[]
}

/** Rows of deliveries as they are after an attempt. */
export async function logDeliveries(
  db: Db,
  { orgId, webhookId }: Pick<Owner, 'orgId' | 'webhookId'>,
  deliveries: readonly Logged[],
): Promise<void> {
  await db
    .insertInto('delivery')
    .values(
      deliveries.map(({ seq, id = randomUUID(), log = [attemptAt(Math.max(0, seq))], ...row }) => ({
        org_id: orgId,
        webhook_id: webhookId,
        seq,
        delivery_id: id,
        type: 'asset.moved',
        occurred_at: '2026-11-21T10:00:00.500Z',
        state: 'delivered' as const,
        attempts: log.length,
        first_at: log[0]?.at ?? null,
        last_at: log.at(-1)?.at ?? '2026-11-21T10:00:00.000Z',
        ...row,
        log: sql<Attempt[]>`${JSON.stringify(log)}::jsonb`,
      })),
    )
    .execute()
}

/** The attempt of millisecond `n`. */
export const attemptAt = (n: number, status = 204): Attempt => ({
  at: new Date(Date.UTC(2026, 10, 21, 11) + n).toISOString(),
  status_code: status,
  error: status < 300 ? null : `answered ${status}`,
  latency_ms: 5,
})

export const stored = (db: Db, { webhookId }: Pick<Owner, 'webhookId'>) =>
  db.selectFrom('delivery').selectAll().where('webhook_id', '=', webhookId).orderBy('seq').execute()

import type { ErrorType, FieldEntry, ConflictOwner } from '@whereabouts/contracts/errors'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import {
  AnsweredBefore,
  REPLAYED,
  stillRunning,
  usedForAnother,
  type AnswerKeeper,
  type KeyedRequest,
} from '@whereabouts/service-kit/http/headers/idempotency'
import type { Reply } from '@whereabouts/service-kit/http/serve'
import { sql, type Kysely, type QueryExecutorProvider } from 'kysely'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { openToRoles } from '../tenant/role-access.ts'
import type { TenantDatabase } from '../tenant/tenant-database.ts'

/**
 * The answers to requests with an `Idempotency-Key`, for a day (D12.8). The answer is written in the transaction of the
 * change, so both exist or neither does. While the first request runs, its transaction holds an advisory lock of the name: it
 * ends with the transaction, also when the process is killed, so nothing has to notice that.
 */
const KEPT = sql`interval '24 hours'`

/** A longer answer is not kept; a repeat of its request runs again. In bytes. */
const MAX_BYTES = 1024 * 1024

/** For migrations. */
export async function createKeptAnswers(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table kept_answer (
      org_id bigint not null,
      caller text not null,
      key text not null,
      fingerprint text not null,
      answer text not null,
      created_at timestamptz not null default clock_timestamp(),
      primary key (org_id, caller, key)
    )`.execute(db)
  await sql`create index kept_answer_age on kept_answer (created_at)`.execute(db)
  await openToRoles(db, {
    kept_answer: {
      organization: 'org_id',
      tenant: 'select, insert, update',
      worker: 'select, delete',
    },
  })
}

/** As JSON in the column `answer`. */
type Kept = { reply: Pick<Reply<unknown>, 'body' | 'headers'> } | { refusal: Refusal }
type Refusal = {
  type: ErrorType
  detail: string
  fields?: readonly FieldEntry[] | undefined
  conflict?: ConflictOwner | undefined
  headers: Readonly<Record<string, string>>
}

/** For `serve`. */
export function answerKeeper<T>(db: TenantDatabase<T>, log: Logger): AnswerKeeper {
  return {
    answer: async (request) => throwKept(request, await find(db.forOrg(request.orgId), request)),
    async keepRefusal(request, { type, message: detail, fields, conflict, headers }) {
      try {
        await db.transaction(request.orgId, async (tx) => {
          if (await isFree(tx, request))
            await keep(tx, request, { refusal: { type, detail, fields, conflict, headers } })
        })
      } catch (error) {
        log.warn({ err: error, org_id: request.orgId }, 'the refusal was not kept; a repeat runs again')
      }
    },
  }
}

/** Runs `work` in `tx` and keeps the answer that it returns. See `beginOnce`. */
export async function once<R extends Reply<unknown>>(
  tx: QueryExecutorProvider,
  request: KeyedRequest | undefined,
  work: () => Promise<R>,
): Promise<R> {
  await beginOnce(tx, request)
  const reply = await work()
  await keepReply(tx, request, reply)
  return reply
}

/**
 * Begins the transaction of a change whose request may have a name. Throws the answer to an earlier request of that name,
 * `usedForAnother`, or `stillRunning`.
 */
export async function beginOnce(tx: QueryExecutorProvider, request: KeyedRequest | undefined): Promise<void> {
  if (!request) return
  if (!(await isFree(tx, request))) throw stillRunning()
  throwKept(request, await find(tx, request)) // after the lock, so that it sees what the request before has committed
}

/** Keeps the answer in the transaction that `beginOnce` began. */
export async function keepReply(
  tx: QueryExecutorProvider,
  request: KeyedRequest | undefined,
  { body, headers }: Reply<unknown>,
): Promise<void> {
  if (request) await keep(tx, request, { reply: { body, headers } })
}

/** Whether no other transaction has the name. This one then has it until its end. */
async function isFree(tx: QueryExecutorProvider, { orgId, caller, key }: KeyedRequest): Promise<boolean> {
  const name = JSON.stringify([orgId, caller, key])
  const { rows } = await sql<{ free: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as free`.execute(tx)
  return rows[0]?.free === true
}

type Row = { fingerprint: string; answer: string }

async function find(
  db: QueryExecutorProvider,
  { orgId, caller, key }: KeyedRequest,
): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    select fingerprint, answer from kept_answer
    where org_id = ${orgId} and caller = ${caller} and key = ${key} and created_at > now() - ${KEPT}`.execute(
    db,
  )
  return rows[0]
}

function throwKept({ fingerprint }: KeyedRequest, kept: Row | undefined): void {
  if (!kept) return
  if (kept.fingerprint !== fingerprint) throw usedForAnother()
  const answer = JSON.parse(kept.answer) as Kept
  if ('reply' in answer) throw new AnsweredBefore(answer.reply.body, answer.reply.headers)
  const { type, detail, fields, conflict, headers } = answer.refusal
  const details = { ...(fields && { fields }), ...(conflict && { conflict }) }
  throw new AppError(type, detail, { ...details, headers: { ...headers, ...REPLAYED } })
}

async function keep(tx: QueryExecutorProvider, request: KeyedRequest, kept: Kept): Promise<void> {
  const { orgId, caller, key, fingerprint } = request
  const answer = JSON.stringify(kept)
  if (Buffer.byteLength(answer) > MAX_BYTES) return
  await sql`
    insert into kept_answer (org_id, caller, key, fingerprint, answer)
    values (${orgId}, ${caller}, ${key}, ${fingerprint}, ${answer})
    on conflict (org_id, caller, key) do update
      set fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = excluded.created_at
      where kept_answer.created_at <= now() - ${KEPT}`.execute(tx)
}

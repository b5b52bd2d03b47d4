import { randomUUID } from 'node:crypto'
import type { Message } from '@whereabouts/contracts/messages/message'
import { currentTrace, traceHeaders, type Trace } from '@whereabouts/service-kit/observe/trace'
import { jsonInSlices } from '@whereabouts/service-kit/limits/slices'
import { sql, type Kysely, type QueryExecutorProvider } from 'kysely'
import type { z } from 'zod'

/**
 * The transactional outbox: a change and its message are committed together, and the relay publishes the message
 * afterwards. A crash in between loses nothing. If a message is published twice, the broker's deduplication drops it;
 * after its window, consumers that compare revisions do.
 */
export type OutboxTable = {
  id: number
  subject: string
  msg_id: string
  keep: 'last' | 'all'
  payload: unknown
  headers: Record<string, string>
  created_at: string
}

/** Creates the table in the role's schema. The first migration of a service calls it. */
export async function createOutbox(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table outbox (
      id bigint generated always as identity primary key,
      subject text not null,
      msg_id text not null,
      keep text not null check (keep in ('last', 'all')),
      payload jsonb not null,
      headers jsonb not null,
      created_at timestamptz not null default clock_timestamp()
    )`.execute(db)
}

/** Any Kysely transaction. A plain connection is a type error: the message must be committed with the change. */
export type OpenTransaction = QueryExecutorProvider & { readonly isTransaction: true }

/** A message that is ready for the outbox. */
export type Queued = Pick<OutboxTable, 'subject' | 'msg_id' | 'keep' | 'payload'> & {
  /** Instead of those of the current trace. */
  headers?: Record<string, string>
}

const headersOf = (cause: Trace | undefined, ttlSeconds?: number) => ({
  ...(cause && traceHeaders(cause)),
  ...(ttlSeconds !== undefined && { 'Nats-TTL': `${ttlSeconds}s` }),
})

/**
 * Messages for `enqueueAll`. `causeOf` is the trace of the request or message that caused a change, if a transaction has
 * changes of several; otherwise it is the current one.
 */
export function queued<S extends z.ZodType>(
  message: Message<S>,
  payloads: readonly z.output<S>[],
  causeOf?: (payload: z.output<S>) => Trace | undefined,
): Queued[] {
  const { keep, ttlSeconds } = message
  const hasOwn = causeOf !== undefined || ttlSeconds !== undefined
  return payloads.map((payload) => ({
    subject: message.subject(payload),
    msg_id: message.messageId?.(payload) ?? randomUUID(),
    keep,
    payload,
    ...(hasOwn && { headers: headersOf(causeOf ? causeOf(payload) : currentTrace(), ttlSeconds) }),
  }))
}

/**
 * Adds messages to the outbox in the transaction of the change, in one statement and in this order. For state messages
 * the caller must hold the lock of the entity's row, so that rows and changes have the same order.
 */
export async function enqueueAll(tx: OpenTransaction, rows: readonly Queued[]): Promise<void> {
  if (rows.length === 0) return
  await sql`
    insert into outbox (subject, msg_id, keep, payload, headers)
    select subject, msg_id, keep, payload, coalesce(headers, ${JSON.stringify(headersOf(currentTrace()))}::jsonb)
    from rows from (jsonb_to_recordset(${await jsonInSlices(rows)}::jsonb)
      as (subject text, msg_id text, keep text, payload jsonb, headers jsonb))
      with ordinality as r (subject, msg_id, keep, payload, headers, position)
    order by position`.execute(tx)
}

/** `enqueueAll` for messages of one kind. */
export const enqueue = <S extends z.ZodType>(
  tx: OpenTransaction,
  message: Message<S>,
  payloads: readonly z.output<S>[],
  causeOf?: (payload: z.output<S>) => Trace | undefined,
): Promise<void> => enqueueAll(tx, queued(message, payloads, causeOf))

import { randomUUID } from 'node:crypto'
import type { Message } from '@whereabouts/contracts/messages/message'
import { currentTrace, traceHeaders, type Trace } from '@whereabouts/service-kit/observe/trace'
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

/**
 * Adds messages to the outbox in the transaction of the change. For state messages the caller must hold the lock of the
 * entity's row, so that rows and changes have the same order. `causeOf` is the trace of the request or message that caused
 * a change, if a transaction has changes of several; otherwise it is the current one.
 */
export async function enqueue<S extends z.ZodType>(
  tx: OpenTransaction,
  message: Message<S>,
  payloads: readonly z.output<S>[],
  causeOf?: (payload: z.output<S>) => Trace | undefined,
): Promise<void> {
  if (payloads.length === 0) return
  const headersFrom = (cause: Trace | undefined) => ({
    ...(cause && traceHeaders(cause)),
    ...(message.ttlSeconds !== undefined && { 'Nats-TTL': `${message.ttlSeconds}s` }),
  })
  const rows = payloads.map((payload) => ({
    subject: message.subject(payload),
    msg_id: message.messageId?.(payload) ?? randomUUID(),
    payload,
    ...(causeOf && { headers: headersFrom(causeOf(payload)) }),
  }))
  await sql`
    insert into outbox (subject, msg_id, keep, payload, headers)
    select subject, msg_id, ${message.keep}, payload,
           coalesce(headers, ${JSON.stringify(headersFrom(currentTrace()))}::jsonb)
    from rows from (jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as (subject text, msg_id text, payload jsonb, headers jsonb))
      with ordinality as r (subject, msg_id, payload, headers, position)
    order by position`.execute(tx)
}

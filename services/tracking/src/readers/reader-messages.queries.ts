import { KEPT_MESSAGES, type ReaderMessageView } from '@whereabouts/contracts/reader-messages'
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { messageHead } from './message-head.ts'
import { KEPT_BYTES, type ProblemMessage } from './problem-message.ts'
import { instant } from '../sql-times.ts'

type Entry = { org_id: number; reader_key: string; problem_messages: readonly ProblemMessage[] }

/** Adds messages with a problem, and deletes all of their readers but the newest. A redelivery may add one twice. */
export async function addReaderMessages(db: Db, entries: readonly Entry[]): Promise<void> {
  const messages = entries.flatMap(({ org_id, reader_key, problem_messages }) =>
    problem_messages.map(({ receivedAtMs, head, ...message }) => ({
      ...message,
      org_id,
      reader_key,
      received_ms: receivedAtMs,
      head: messageHead(head, KEPT_BYTES),
    })),
  )
  if (messages.length === 0) return
  const sent = JSON.stringify(messages)
  await sql`
    insert into reader_message (org_id, reader_key, received_at, via, subject, size, head, problems)
    select n.org_id, n.reader_key, ${instant('n.received_ms')}, n.via, n.subject, n.size, n.head, n.problems
    from rows from (jsonb_to_recordset(${sent}::jsonb) as (org_id bigint, reader_key text, received_ms float8,
      via text, subject text, size int, head text, problems jsonb)) with ordinality as n (org_id, reader_key,
      received_ms, via, subject, size, head, problems, position)
    order by n.position`.execute(db)
  await sql`
    delete from reader_message m using (
      select o.org_id, o.reader_key, last.id
      from (select distinct org_id, reader_key
            from jsonb_to_recordset(${sent}::jsonb) as n (org_id bigint, reader_key text)) o
      cross join lateral (
        select x.id from reader_message x where x.org_id = o.org_id and x.reader_key = o.reader_key
        order by x.id desc offset ${KEPT_MESSAGES} limit 1) last) cut
    where m.org_id = cut.org_id and m.reader_key = cut.reader_key and m.id <= cut.id`.execute(db)
}

/** Newest first. */
export function listReaderMessages(db: Db, orgId: number, readerKey: string): Promise<ReaderMessageView[]> {
  return db
    .selectFrom('reader_message')
    .select(['id', 'received_at', 'via', 'subject', 'size', 'head', 'problems'])
    .where('org_id', '=', orgId)
    .where('reader_key', '=', readerKey)
    .orderBy('id', 'desc')
    .limit(KEPT_MESSAGES)
    .execute()
}

import { limits } from '@whereabouts/contracts/limits'
import {
  KEPT_MESSAGES,
  type ReaderMessageView,
} from '@whereabouts/contracts/resources/tracking/reader-messages'
import { sql } from 'kysely'
import type { Db } from '../../db.ts'
import { messageHead } from './message-head.ts'
import { KEPT_BYTES, type ProblemMessage } from './problem-message.ts'
import { instant } from '../../sql-times.ts'

type Entry = { org_id: number; reader_key: string; problem_messages: readonly ProblemMessage[] }

/** Kept of a reader without a setup, whose name may be made up: its newest messages, the beginning of each, some problems. */
const KEPT_UNNAMED = 3
const UNNAMED_LENGTH = 1_024

/** The most messages that an organization with this many readers keeps. The oldest of a reader go, so none is refused. */
export const mostKept = (readers: number): number =>
  readers * KEPT_MESSAGES + limits.newReaders.organization * KEPT_UNNAMED

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
    select n.org_id, n.reader_key, ${instant('n.received_ms')}, n.via, n.subject, n.size,
      case when ${isConfigured('n')} then n.head else left(n.head, ${UNNAMED_LENGTH}) end,
      case when ${isConfigured('n')} then n.problems else jsonb_path_query_array(n.problems, '$[0 to 2]') end
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
        order by x.id desc
        offset case when ${isConfigured('o')} then ${KEPT_MESSAGES}::int else ${KEPT_UNNAMED}::int end limit 1) last) cut
    where m.org_id = cut.org_id and m.reader_key = cut.reader_key and m.id <= cut.id`.execute(db)
}

const isConfigured = (row: 'n' | 'o') =>
  sql.raw(`exists (select from reader r where r.org_id = ${row}.org_id and r.reader_key = ${row}.reader_key)`)

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

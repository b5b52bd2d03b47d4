import { readerUse } from '@whereabouts/contracts/messages/reader-use'
import { answering } from '@whereabouts/messaging/messages/request'
import type { Db } from '../../db.ts'
import { findReaderUse } from './api-keys.queries.ts'

/** Answers `rpc.keys.reader-use`. One replica answers each request. */
export const { answer: answerReaderUse, serve: serveReaderUse } = answering(
  readerUse,
  'names no reader of an organization',
  async (db: Db, { org_id, reader_key }) => ({ used_at: await findReaderUse(db, org_id, reader_key) }),
)

import { auditEntry, type AuditEntry } from '@whereabouts/contracts/messages/audit'
import { isDatabaseOutage } from '@whereabouts/db/connect/outage'
import type { BatchConsumer } from '@whereabouts/messaging/consume/consumer'
import { decodeWith } from '@whereabouts/messaging/consume/decode'
import { PoisonError } from '@whereabouts/messaging/consume/settle'
import type { IncomingMessage } from '@whereabouts/messaging/messages/delivery'
import type { Db } from '../../db.ts'
import { recordAudit } from './recording.queries.ts'

/** AUDIT → the table. A message is acknowledged after the commit, so a crash only brings it again, which changes nothing. */
export const auditRecorder = (across: Db): BatchConsumer<AuditEntry> => ({
  durable: 'keys-audit',
  maxMessages: 1_000,
  maxBytes: 2 * 1024 * 1024,
  maxWaitMs: 5,
  fair: { groupOf: ({ subject }) => subject },
  isOutage: isDatabaseOutage,
  decode: decodeEntry,
  handle: (entries) => recordAudit(across, entries),
})

const parse = decodeWith('an audit entry', (payload) => auditEntry.schema.parse(payload))

function decodeEntry(message: Pick<IncomingMessage, 'subject' | 'data'>): AuditEntry {
  const entry = parse(message)
  if (message.subject !== auditEntry.subject(entry)) throw new PoisonError('subject and organization differ')
  return entry
}

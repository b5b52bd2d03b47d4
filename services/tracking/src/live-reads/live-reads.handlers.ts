import { scanSubject } from '@whereabouts/contracts/messages/scan-subject'
import type { TenantDatabase } from '@whereabouts/db/tenant-database'
import type { HeardMessage } from '@whereabouts/messaging/listen'
import { Reply, type Handlers } from '@whereabouts/service-kit/serve'
import type { Tables } from '../db.ts'
import { readerNotFound } from '../errors.ts'
import type { LiveFeed } from '../live/live-feed.ts'
import { listenerOf, UNBUFFERED } from '../live/stream-requests.ts'
import { findReader } from '../readers/readers.queries.ts'
import { ReadStream } from './read-stream.ts'
import { readTexts, type ShowDeps } from './read-texts.ts'

export type LiveReadDeps = ShowDeps & {
  db: TenantDatabase<Tables>
  live: LiveFeed
  /** Hears what is published to a subject, until the returned function is called. */
  hear: (subject: string, onMessage: (message: HeardMessage) => void) => () => void
}

/**
 * Shows what a reader sends, to a person who installs it (D16.6). Each view hears the reader by itself, beside ingest:
 * it stores nothing, and it also shows messages that ingest drops because they exceed the rate.
 */
export const liveReadHandlers = (deps: LiveReadDeps): Pick<Handlers<'tracking'>, 'streamReads'> => ({
  async streamReads({ principal, params: { reader_id }, clientAddress }) {
    const { orgId, expiresAtMs = 0 } = principal
    const listener = listenerOf(principal, clientAddress)
    const reader = await findReader(deps.db.forOrg(orgId), orgId, reader_id)
    if (!reader) throw readerNotFound()
    const stream = deps.live.admit(
      listener,
      expiresAtMs,
      (opening) => new ReadStream(opening, (messages, room) => readTexts(messages, room, deps)),
    )
    const subject = scanSubject({ orgId, readerKey: reader.reader_key, format: '>' })
    stream.follow((onMessage) => deps.hear(subject, onMessage))
    return new Reply(stream, UNBUFFERED)
  },
})

import { scanSubject } from '@whereabouts/contracts/messages/subjects/scan-subject'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { HeardMessage } from '@whereabouts/messaging/messages/listen'
import { UNBUFFERED } from '@whereabouts/service-kit/http/event-stream'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import type { Tables } from '../../db.ts'
import { readerNotFound } from '../../errors.ts'
import type { LiveFeed } from '../../where/live/live-feed.ts'
import { listenerOf } from '../../where/live/stream-requests.ts'
import { findReader } from '../../readers/readers.queries.ts'
import { ReadStream } from './read-stream.ts'
import { DecodingTime } from '../../ingest/reads/decoding-time.ts'
import { readTexts, type ShowDeps } from './read-texts.ts'
import { ReaderView } from './reader-view.ts'

export type LiveReadDeps = ShowDeps & {
  db: TenantDatabase<Tables>
  live: LiveFeed
  /** Hears what is published to a subject, until the returned function is called. */
  hear: (subject: string, onMessage: (message: HeardMessage) => void) => () => void
}

/**
 * Shows what a reader sends, to a person who installs it (D16.6). The views of a reader hear it together, beside ingest:
 * they store nothing, and they also show messages that ingest drops because they exceed the rate.
 */
export function liveReadHandlers(deps: LiveReadDeps): Pick<Handlers<'tracking'>, 'streamReads'> {
  const time = new DecodingTime()
  /** By subject. */
  const views = new Map<string, ReaderView>()
  const viewOf = (orgId: number, subject: string): ReaderView => {
    const known = views.get(subject)
    if (known) return known
    const view = new ReaderView({
      show: (messages, room) => readTexts(messages, room, { ...deps, orgId, time }),
      hear: (onMessage) => deps.hear(subject, onMessage),
      onEmpty: () => views.delete(subject),
    })
    views.set(subject, view)
    return view
  }
  return {
    async streamReads({ principal, params: { reader_id }, clientAddress }) {
      const { orgId, expiresAtMs = 0 } = principal
      const listener = listenerOf(principal, clientAddress)
      const reader = await findReader(deps.db.forOrg(orgId), orgId, reader_id)
      if (!reader) throw readerNotFound()
      const subject = scanSubject({ orgId, readerKey: reader.reader_key, format: '>' })
      const stream: ReadStream = deps.live.admit(
        listener,
        expiresAtMs,
        (opening) => new ReadStream(opening, () => views.get(subject)?.remove(stream)),
      )
      viewOf(orgId, subject).add(stream)
      return new Reply(stream, UNBUFFERED)
    },
  }
}

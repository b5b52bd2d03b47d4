import { setImmediate } from 'node:timers/promises'
import {
  readEvents,
  type LiveProblem,
  type LiveRead,
} from '@whereabouts/contracts/resources/tracking/reader-messages'
import type { HeardMessage } from '@whereabouts/messaging/messages/listen'
import { findReads, type FindDeps } from '../../ingest/places/resolve.ts'
import type { DecodingTime } from '../../ingest/reads/decoding-time.ts'
import { decodeAsIngest } from '../reader-messages/decode-as-ingest.ts'
import { problemsIn, toDecodedRead } from '../reader-messages/decoded-read.ts'
import { problemMessage } from '../../readers/health/problem-message.ts'
import { eventText, type Shown } from './read-stream.ts'

export type ShowDeps = FindDeps

/**
 * The events of some messages of a reader. Decodes none beyond the reads that are shown, and none while the time of the
 * organization is spent: those are counted. Throws CatalogUnavailable.
 */
export async function readTexts(
  messages: readonly HeardMessage[],
  room: number,
  { orgId, time, ...deps }: ShowDeps & { orgId: number; time: DecodingTime },
): Promise<Shown> {
  const shown: Shown = { texts: [], omitted: { reads: 0, messages: 0 } }
  let left = room
  for (const heard of messages) {
    if (left === 0 || time.isSpent(orgId)) {
      shown.omitted.messages += 1
      continue
    }
    await setImmediate() // a message may take milliseconds
    const { decoded: message, refused } = time.measure(orgId, () => decodeAsIngest(heard, deps))
    const reads = message?.decoded.reads.slice(0, left) ?? []
    left -= reads.length
    shown.omitted.reads += (message?.decoded.reads.length ?? 0) - reads.length
    const found = message ? await findReads({ ...message, decoded: { ...message.decoded, reads } }, deps) : []
    for (const one of found)
      shown.texts.push(
        eventText(readEvents.read, { ...about(heard), ...toDecodedRead(one) } satisfies LiveRead),
      )
    const problems = message ? problemsIn(message.decoded, found) : refused
    if (problems.length > 0)
      shown.texts.push(eventText(readEvents.problem, { ...about(heard), problems } satisfies LiveProblem))
  }
  return shown
}

function about(heard: HeardMessage) {
  const { receivedAtMs, via } = problemMessage(heard, [])
  return { received_at: new Date(receivedAtMs).toISOString(), via }
}

import { decodedHeader } from './headers.ts'
import { MQTT_PREFIX } from './topology.ts'

/** Below `scans.`, where a reader may publish only on the number of its organization: this says that a service wrote it. */
const MARKED = 'scans.replayed.'
const HEADER = 'first_received_at'

/** Before the group of a message in OVERFLOW. */
export const OVERFLOW_PREFIX = 'overflow.'
const SUBJECT_HEADER = 'first_subject'

/** Where only services publish, so that a header may be believed. */
const OURS = /^(?:catalog|keys|events|placements|scans\.replayed)\./

type Origin = { stream: string; subject: string }

/**
 * How a message is published once more: it counts as received when it first was, because times of reads and what a webhook
 * is told depend on that. Readers could forge the header, so theirs are marked by a subject they may not publish on. What
 * came over MQTT goes where all scans are.
 */
export function asReplayed({ stream, subject }: Origin, receivedAt: number) {
  const headers = { [HEADER]: new Date(receivedAt).toISOString() }
  const scan = subject.startsWith(MQTT_PREFIX) ? subject.slice(MQTT_PREFIX.length) : subject
  if (!scan.startsWith('scans.')) return { stream, subject, headers }
  return {
    stream: 'SCANS',
    subject: scan.startsWith(MARKED) ? scan : scan.replace('scans.', MARKED),
    headers,
  }
}

type Moved = Reception & {
  streamSeq: number
  info: { stream: string }
  headers: Readonly<Record<string, string>>
}

/**
 * How a message is kept in OVERFLOW: with the subject and the time of its reception in headers, and nothing of what its
 * sender wrote there but the trace. Moved once more after a crash, it is stored once.
 */
export function asOverflow(group: string, { subject, receivedAt, streamSeq, info, headers }: Moved) {
  const { traceparent, request_id } = headers
  return {
    subject: `${OVERFLOW_PREFIX}${group}`,
    msgId: `${info.stream}.${streamSeq}.${receivedAt}`,
    headers: {
      [HEADER]: new Date(receivedAt).toISOString(),
      [SUBJECT_HEADER]: encodeURIComponent(subject),
      ...(traceparent !== undefined && { traceparent: traceparent.slice(0, 128) }),
      ...(request_id !== undefined && { request_id: request_id.slice(0, 128) }),
    },
  }
}

type Reception = { subject: string; receivedAt: number }

/** The subject and time under which a stored message counts; `headers` is asked for only where they may be believed. */
export function firstReception(
  stored: Reception,
  headers: () => Readonly<Record<string, string>>,
): Reception {
  if (stored.subject.startsWith(OVERFLOW_PREFIX)) return receptionOfMoved(stored, headers())
  if (!OURS.test(stored.subject)) return stored
  const subject = stored.subject.startsWith(MARKED)
    ? stored.subject.replace(MARKED, 'scans.')
    : stored.subject
  const receivedAt = Date.parse(headers()[HEADER] ?? '')
  return { subject, receivedAt: Number.isNaN(receivedAt) ? stored.receivedAt : receivedAt }
}

function receptionOfMoved(stored: Reception, headers: Readonly<Record<string, string>>): Reception {
  const receivedAt = Date.parse(headers[HEADER] ?? '')
  return {
    subject: decodedHeader(headers[SUBJECT_HEADER] ?? ''),
    receivedAt: Number.isNaN(receivedAt) ? stored.receivedAt : receivedAt,
  }
}

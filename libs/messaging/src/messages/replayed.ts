import { decodedHeader } from './headers.ts'
import { accountOf, MQTT_PREFIX, OVERFLOW_PREFIX, streamNames, streams } from '../connect/topology.ts'
import { withoutNumber } from '../connect/numbers.ts'

/**
 * Marks scans that a service has published again. A reader may publish only below `scans.<number of its
 * organization>.`
 */
const MARKED = 'scans.replayed.'
const HEADER = 'first_received_at'

const SUBJECT_HEADER = 'first_subject'

/** Subjects on which only services publish, so that their headers can be trusted: all but those of readers. */
const OF_SERVICES = streamNames
  .filter((name) => accountOf(name) === 'APP' && name !== 'SCANS')
  .flatMap((name) => streams[name].subjects.map((subject) => subject.replace(/[*>]$/, '')))
  .concat(MARKED)

type Origin = { stream: string; subject: string }

/**
 * How a message is published again. It keeps the time of its first reception, because the times of reads and the
 * events of a webhook depend on it. Readers could forge the header, so scans get a subject on which readers may not
 * publish. Scans that came over MQTT go to SCANS too.
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
 * How a message is stored in OVERFLOW: headers have its subject and the time of its reception. Of the sender's
 * headers only the trace and the request id are kept. If it is moved again after a crash, it is stored once.
 */
export function asOverflow(
  group: string,
  prefix: string,
  { subject, receivedAt, streamSeq, info, headers }: Moved,
) {
  const { traceparent, request_id } = headers
  return {
    subject: `${prefix}${group}`,
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

/** The first subject and reception time of a stored message. Calls `headers` only if they can be trusted. */
export function firstReception(
  { subject: numbered, receivedAt: storedAt }: Reception,
  headers: () => Readonly<Record<string, string>>,
): Reception {
  const stored = { subject: withoutNumber(numbered), receivedAt: storedAt }
  if (stored.subject.startsWith(OVERFLOW_PREFIX)) return receptionOfMoved(stored, headers())
  if (!OF_SERVICES.some((prefix) => stored.subject.startsWith(prefix))) return stored
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

import { parseReaderSubject, parseScanSubject } from '@whereabouts/contracts/messages/scan-subject'
import { MQTT_PREFIX } from '@whereabouts/messaging/topology'

export type ReaderSubject = {
  orgId: number
  readerKey: string
  /** Undefined when the subject names none. */
  format: string | undefined
}

/** Readers publish to the same few subjects all the time. */
const known = new Map<string, ReaderSubject | undefined>()
const MOST_KNOWN = 10_000

/** What the subject of a message says, of SCANS or of the broker's copy from MQTT. Undefined when it names no reader. */
export function readerSubject(subject: string): ReaderSubject | undefined {
  if (known.has(subject)) return known.get(subject)
  const plain = withoutPrefix(subject)
  const named = parseReaderSubject(plain)
  const parsed = named && { ...named, format: parseScanSubject(plain)?.format }
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(subject, parsed)
  return parsed
}

/** The subject under which a reader published what the broker keeps of MQTT. */
const withoutPrefix = (subject: string): string =>
  subject.startsWith(MQTT_PREFIX) ? subject.slice(MQTT_PREFIX.length) : subject

import { parseReaderSubject, parseScanSubject } from '@whereabouts/contracts/messages/scan-subject'
import { MQTT_PREFIX } from '@whereabouts/messaging/topology'

export type ReaderSubject = {
  orgId: number
  readerKey: string
  /** Undefined if the subject names none. */
  format: string | undefined
}

/** Readers publish to the same few subjects. */
const known = new Map<string, ReaderSubject | undefined>()
const MOST_KNOWN = 10_000

/**
 * Parses the subject of a message of SCANS or of the broker's copy of an MQTT message. Undefined if it names no
 * reader.
 */
export function readerSubject(subject: string): ReaderSubject | undefined {
  if (known.has(subject)) return known.get(subject)
  const plain = withoutPrefix(subject)
  const named = parseReaderSubject(plain)
  const parsed = named && { ...named, format: parseScanSubject(plain)?.format }
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(subject, parsed)
  return parsed
}

/** The subject to which the reader published. */
const withoutPrefix = (subject: string): string =>
  subject.startsWith(MQTT_PREFIX) ? subject.slice(MQTT_PREFIX.length) : subject

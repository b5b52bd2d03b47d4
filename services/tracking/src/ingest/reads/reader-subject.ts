import { parseReaderSubject, parseScanSubject } from '@whereabouts/contracts/messages/subjects/scan-subject'
import { MQTT_PREFIX } from '@whereabouts/messaging/connect/topology'
import { LRUCache } from 'lru-cache'

export type ReaderSubject = {
  orgId: number
  readerKey: string
  /** Undefined if the subject names none. */
  format: string | undefined
  /** The levels of the topic after the format, as the device wrote them. */
  topic: readonly string[]
}

const MAX_SUBJECTS = 10_000
/** A mapping can name these. A hostile subject has two thousand. */
const MAX_LEVELS = 9

/** Readers publish to the same few subjects. */
const parsed = new LRUCache<string, { subject: ReaderSubject | undefined }>({
  max: MAX_SUBJECTS,
  memoMethod: (subject) => ({ subject: parse(withoutPrefix(subject)) }),
})

/**
 * Parses the subject of a message of SCANS or of the broker's copy of an MQTT message. Undefined if it names no reader.
 */
export const readerSubject = (subject: string): ReaderSubject | undefined => parsed.memo(subject).subject

function parse(subject: string): ReaderSubject | undefined {
  const named = parseReaderSubject(subject)
  return (
    named && {
      ...named,
      format: parseScanSubject(subject)?.format,
      topic: subject
        .split('.', 4 + MAX_LEVELS)
        .slice(4)
        .map(topicLevel),
    }
  )
}

/** The broker writes a dot in a level of an MQTT topic as `//`, and an empty level as `/`. */
const topicLevel = (token: string): string => (token === '/' ? '' : token.replaceAll('//', '.'))

/** The subject to which the reader published. */
const withoutPrefix = (subject: string): string =>
  subject.startsWith(MQTT_PREFIX) ? subject.slice(MQTT_PREFIX.length) : subject

import type { TimeSource } from '@whereabouts/contracts/resources/tracking/readers'
import { PoisonError } from '@whereabouts/messaging/consume/settle'
import type { Decoded } from '../../formats/decoder.ts'
import { decoderFor } from '../../formats/formats.ts'
import type { ReaderDirectory } from '../../readers/reader-directory.ts'
import type { ReaderHealthLog } from '../../readers/health/reader-health.ts'
import { problemMessage, problemsOf, refusal, type Received } from '../../readers/health/problem-message.ts'
import { readerSubject } from './reader-subject.ts'

type Deps = {
  health: Pick<ReaderHealthLog, 'note'>
  directory: ReaderDirectory
  metrics: { unusable(orgId: number): void }
}

/** A message of a reader, decoded. */
export type ReaderMessage = {
  orgId: number
  readerKey: string
  receivedAtMs: number
  /** `reader` by default. */
  timeSource?: TimeSource | undefined
  decoded: Decoded
  /** To show it to users, if it has a problem. */
  received: Received
}

/**
 * Decodes one message of SCANS. Counts an unusable message on its reader, where users see it, and throws PoisonError,
 * so that it becomes a dead letter.
 */
export function decodeReaderMessage(message: Received, { health, directory, metrics }: Deps): ReaderMessage {
  const named = readerSubject(message.subject)
  if (!named) throw new PoisonError('the subject is not scans.<org>.<reader>.<format>')
  const { orgId, readerKey, format, topic } = named
  const reject = (problem: string, problems = [refusal(problem)]): never => {
    health.note(orgId, readerKey, {
      seenAtMs: message.receivedAt,
      messages: 1,
      messages_buried: 1,
      problem,
      problemMessage: problemMessage(message, problems),
    })
    metrics.unusable(orgId)
    throw new PoisonError(problem)
  }
  if (format === undefined) return reject('the topic has no format; publish to scans/<org>/<reader>/<format>')
  const decode = decoderFor(format)
  if (!decode) return reject(`unknown format "${format.slice(0, 32)}"`)
  const settings = directory.settings(orgId, readerKey)
  if (format === 'mapping' && !settings.mapping)
    return reject('this reader has no mapping; set one, or publish in another format')
  const decoded = decode(message.data, {
    reader: readerKey,
    received_at_ms: message.receivedAt,
    topic,
    ...settings,
  })
  if (decoded.isDeadLetter)
    return reject(
      decoded.refusal ??
        `not ${article(format)} ${format} message: ${decoded.errors[0]?.code ?? 'unexpected_shape'}`,
      decoded.refusal === undefined ? problemsOf(decoded.errors) : undefined,
    )
  const { time_source: timeSource } = settings
  return { orgId, readerKey, receivedAtMs: message.receivedAt, timeSource, decoded, received: message }
}

const article = (noun: string) => (/^[aeiou]/.test(noun) ? 'an' : 'a')

/** Decodes the broker's copy of an MQTT message. Undefined if it is unusable: the consumer of SCANS reports it. */
export function decodeCopy(
  message: Received,
  { directory }: { directory: ReaderDirectory },
): ReaderMessage | undefined {
  try {
    return decodeReaderMessage(message, {
      health: { note: () => undefined },
      directory,
      metrics: { unusable: () => undefined },
    })
  } catch (error) {
    if (error instanceof PoisonError) return undefined
    throw error
  }
}

import type { ReaderMessageProblem } from '@whereabouts/contracts/resources/tracking/reader-messages'
import { PoisonError } from '@whereabouts/messaging/consume/settle'
import { decodeReaderMessage, type ReaderMessage } from '../../ingest/reads/reader-message.ts'
import type { FindDeps } from '../../ingest/places/resolve.ts'
import type { Received } from '../../readers/health/problem-message.ts'

/**
 * Decodes a message as ingest does, and notes nothing. What ingest would note about the reader is the answer for a message that
 * it refuses.
 */
export function decodeAsIngest(
  received: Received,
  { directory }: Pick<FindDeps, 'directory'>,
): { decoded?: ReaderMessage; refused: ReaderMessageProblem[] } {
  let refused: ReaderMessageProblem[] = []
  try {
    const decoded = decodeReaderMessage(received, {
      directory,
      health: { note: (_org, _reader, { problemMessage: noted }) => void (refused = noted?.problems ?? []) },
      metrics: { unusable: () => undefined },
    })
    return { decoded, refused }
  } catch (error) {
    if (error instanceof PoisonError) return { refused }
    throw error
  }
}

import type { Decoded } from '../../formats/decoder.ts'
import type { ReaderHealthLog } from '../../readers/health/reader-health.ts'
import type { RightTimes } from '../../readers/health/right-times.queries.ts'
import type { ReaderMessage } from './reader-message.ts'
import { isRightTime, needsProof } from './read-time.ts'

/** A right time that was received so recently proves the clock. */
const PROOF_MS = 3_600_000

/** What earlier messages of the readers of a batch say about their clocks. */
export type ClockProofs = ReadonlyMap<string, RightTimes>

type Deps = { health: Pick<ReaderHealthLog, 'flush'>; findRightTimes: FindRightTimes }
export type FindRightTimes = (
  readers: readonly { orgId: number; readerKey: string }[],
) => Promise<({ orgId: number; readerKey: string } & RightTimes)[]>

const keyOf = ({ orgId, readerKey }: { orgId: number; readerKey: string }) => `${orgId} ${readerKey}`

/**
 * Looks up the proofs for the readers of those messages that have old times without a proof of their own; others need none.
 * What this process has noted and not yet written counts, so it is written first.
 */
export async function findProofs(
  messages: readonly ReaderMessage[],
  { health, findRightTimes }: Deps,
): Promise<ClockProofs> {
  const readers = new Map<string, ReaderMessage>()
  for (const message of messages)
    if (message.timeSource !== 'receipt' && lacksProof(message)) readers.set(keyOf(message), message)
  if (readers.size === 0) return new Map()
  await health.flush()
  const found = await findRightTimes([...readers.values()])
  return new Map(found.map((reader) => [keyOf(reader), reader]))
}

function lacksProof({ decoded, receivedAtMs }: ReaderMessage): boolean {
  for (const { read_at_ms: ms } of decoded.reads)
    if (ms !== null && needsProof(ms, receivedAtMs)) return newestRight(decoded, receivedAtMs) === null
  return false
}

type Judged = Pick<ReaderMessage, 'orgId' | 'readerKey' | 'receivedAtMs' | 'decoded'>

/** Decides clocks in the order of the messages, each by itself and those before it. */
export class ClockJudge {
  readonly #rightTimes: Map<string, RightTimes>

  constructor(proofs: ClockProofs) {
    this.#rightTimes = new Map(proofs)
  }

  /** Whether the clock of this message is right, where one of its times needs a proof; and its newest right time. */
  judge(message: Judged): { isClockRight: (ms: number) => boolean; rightMs: number | null } {
    const { receivedAtMs, decoded } = message
    const rightMs = newestRight(decoded, receivedAtMs)
    const key = keyOf(message)
    const before = this.#rightTimes.get(key)
    if (rightMs !== null)
      this.#rightTimes.set(key, {
        seenMs: Math.max(receivedAtMs, before?.seenMs ?? receivedAtMs),
        newestMs: Math.max(rightMs, before?.newestMs ?? rightMs),
      })
    const isProved = rightMs !== null || (before !== undefined && before.seenMs >= receivedAtMs - PROOF_MS)
    return { rightMs, isClockRight: (ms) => isProved || (before !== undefined && ms >= before.newestMs) }
  }
}

/** The newest time of a message that shows a right clock; null if there is none. Reports of the device count as well. */
function newestRight({ reads, health }: Decoded, receivedAtMs: number): number | null {
  let newest: number | null = null
  for (const { read_at_ms: ms } of reads)
    if (ms !== null && (newest === null || ms > newest) && isRightTime(ms, receivedAtMs)) newest = ms
  for (const { at_ms: ms } of health)
    if (ms !== null && (newest === null || ms > newest) && isRightTime(ms, receivedAtMs)) newest = ms
  return newest
}

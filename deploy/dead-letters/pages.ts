import { organizationOf } from '@whereabouts/contracts/messages/subjects/organization-of'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { readDeadLetters, type DeadLetterHead } from '@whereabouts/messaging/dead-letters/dead-letters-page'
import type { Filters } from './arguments.ts'

/** Letters held in memory at a time. */
const PAGE = 500

type Range = { firstSeq: number; lastSeq: number }

/** The letters of a range that pass the filters, oldest first, in pages. New letters are beyond the range. */
export async function* oldestFirst(
  broker: Broker,
  filters: Filters,
  { firstSeq, lastSeq }: Range,
): AsyncGenerator<DeadLetterHead[]> {
  for (let fromSeq = firstSeq; fromSeq <= lastSeq;) {
    const { letters, left } = await readDeadLetters(broker, { ...filters, fromSeq, limit: PAGE })
    yield letters.filter((letter) => letter.seq <= lastSeq && passes(letter, filters))
    if (left === 0) return
    fromSeq = (letters.at(-1)?.seq ?? fromSeq - 1) + 1 // none: all were removed meanwhile
  }
}

/** The same, newest first. */
export async function* newestFirst(
  broker: Broker,
  filters: Filters,
  { firstSeq, lastSeq }: Range,
): AsyncGenerator<DeadLetterHead[]> {
  for (let endSeq = lastSeq; endSeq >= firstSeq && endSeq > 0; endSeq -= PAGE) {
    const fromSeq = Math.max(endSeq - PAGE + 1, firstSeq)
    const { letters } = await readDeadLetters(broker, { ...filters, fromSeq, limit: PAGE })
    const page = letters.filter((letter) => letter.seq <= endSeq)
    yield page.filter((letter) => passes(letter, filters)).toReversed()
    if (page.length > 0 && page.every((letter) => isBefore(letter, filters))) return
  }
}

/** The broker filters by stream and durable. */
const passes = (letter: DeadLetterHead, filters: Filters) =>
  !isBefore(letter, filters) &&
  (filters.orgId === undefined || organizationOf(letter.original_subject) === filters.orgId)

const isBefore = (letter: DeadLetterHead, { sinceMs = Number.NEGATIVE_INFINITY }: Filters) =>
  Date.parse(letter.buried_at) < sinceMs

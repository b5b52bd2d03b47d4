import type { Broker } from '@whereabouts/messaging/connect/connection'
import { deadLetterExtent, type DeadLetterHead } from '@whereabouts/messaging/dead-letters/dead-letters-page'
import type { ListRequest } from './arguments.ts'
import { newestFirst } from './pages.ts'
import { table, visible, visibleJson } from './visible.ts'

/** Output of a command: `print` for results, `tell` for progress and errors. */
export type Out = { print(text: string): void; tell(text: string): void }

export async function listLetters(broker: Broker, request: ListRequest, out: Out): Promise<true> {
  const extent = await deadLetterExtent(broker)
  const lastSeq = Math.min(extent.lastSeq, (request.before ?? Number.POSITIVE_INFINITY) - 1)
  const { letters, more } = await take(
    newestFirst(broker, request.filters, { ...extent, lastSeq }),
    request.limit,
  )
  const next = more ? letters.at(-1)?.seq : undefined
  if (request.json) out.print(visibleJson({ total: extent.total, next_before: next ?? null, letters }, 2))
  else out.print([...rowsOf(letters), summary(letters.length, extent.total, next)].join('\n'))
  return true
}

async function take(pages: AsyncIterable<DeadLetterHead[]>, limit: number) {
  const letters: DeadLetterHead[] = []
  for await (const page of pages) {
    letters.push(...page)
    if (letters.length > limit) return { letters: letters.slice(0, limit), more: true }
  }
  return { letters, more: false }
}

const HEADINGS = ['SEQ', 'KEPT AT', 'STREAM', 'DURABLE', 'BYTES', 'REQUEST', 'SUBJECT', 'REASON']

function rowsOf(letters: readonly DeadLetterHead[]): string[] {
  if (letters.length === 0) return []
  const rows = letters.map((letter) => [
    String(letter.seq),
    letter.buried_at,
    letter.stream,
    letter.durable,
    letter.truncated ? `${letter.size} (cut)` : String(letter.size),
    letter.request_id ?? '-',
    letter.original_subject,
    letter.reason,
  ])
  return [table([HEADINGS, ...rows.map((row) => row.map((cell) => visible(cell)))]), '']
}

function summary(shown: number, total: number, next: number | undefined): string {
  const all = `${shown} shown, ${total} kept in all`
  return next === undefined ? `${all}; no more match` : `${all}; older ones: --before ${next}`
}

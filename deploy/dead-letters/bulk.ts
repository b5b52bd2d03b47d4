import type { Broker } from '@whereabouts/messaging/connect/connection'
import { deadLetterExtent } from '@whereabouts/messaging/dead-letters/dead-letters-page'
import {
  removeDeadLetter,
  replayDeadLetter,
  type Settled,
} from '@whereabouts/messaging/dead-letters/dead-letters-settle'
import { errorText } from '../error-text.ts'
import type { BulkRequest, Filters } from './arguments.ts'
import type { Out } from './list.ts'
import { oldestFirst } from './pages.ts'
import { table, visible } from './visible.ts'

type Act = { verb: string; on(seq: number): Promise<Settled> }

/** False when one was left in place. */
export const replayLetters = (broker: Broker, request: BulkRequest, out: Out) =>
  carryOut(broker, request, { verb: 'replayed', on: (seq) => replayDeadLetter(broker, seq) }, out)

/** False when one was left in place. */
export const dropLetters = (broker: Broker, request: BulkRequest, out: Out) =>
  carryOut(broker, request, { verb: 'dropped', on: (seq) => removeDeadLetter(broker, seq) }, out)

async function carryOut(broker: Broker, { selection }: BulkRequest, act: Act, out: Out): Promise<boolean> {
  if ('seqs' in selection) return new Progress(act, out).finish([selection.seqs])
  if (selection.yes) return new Progress(act, out).finish(seqsOf(broker, selection.filters))
  return preview(broker, selection.filters, act, out)
}

/** Up to the newest one of now: a message that fails again gets a higher number and is not handled twice. */
async function* seqsOf(broker: Broker, filters: Filters): AsyncGenerator<number[]> {
  const extent = await deadLetterExtent(broker)
  for await (const page of oldestFirst(broker, filters, extent)) yield page.map(({ seq }) => seq)
}

async function preview(broker: Broker, filters: Filters, { verb }: Act, out: Out): Promise<true> {
  const counts = new Map<string, number>()
  const extent = await deadLetterExtent(broker)
  for await (const page of oldestFirst(broker, filters, extent))
    for (const { stream, durable } of page)
      counts.set(`${stream} ${durable}`, (counts.get(`${stream} ${durable}`) ?? 0) + 1)
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (total > 0) out.print(table([...counts].map(([whose, count]) => [visible(whose), String(count)])))
  out.print(
    total === 0 ? 'no dead letter matches' : `${total} would be ${verb}. Nothing was done: add --yes.`,
  )
  return true
}

/** Failures reported one by one; later ones are only counted. */
const REPORTED = 20
/** Letters between two progress lines. */
const STRIDE = 500

/** Handles dead letters one after the other and reports progress. */
class Progress {
  readonly #act: Act
  readonly #out: Out
  #done = 0
  #failed = 0

  constructor(act: Act, out: Out) {
    this.#act = act
    this.#out = out
  }

  async finish(pages: Iterable<number[]> | AsyncIterable<number[]>): Promise<boolean> {
    try {
      for await (const page of pages) for (const seq of page) await this.#one(seq)
    } catch (error) {
      throw new Error(`stopped, ${this.#counts()}: ${errorText(error)}`, { cause: error })
    }
    this.#out.print(this.#counts())
    return this.#failed === 0
  }

  async #one(seq: number): Promise<void> {
    const settled = await this.#act.on(seq)
    if (settled.ok) this.#done += 1
    else this.#reportFailure(seq, settled.reason)
    if ((this.#done + this.#failed) % STRIDE === 0) this.#out.tell(this.#counts())
  }

  #reportFailure(seq: number, reason: string): void {
    this.#failed += 1
    if (this.#failed <= REPORTED) this.#out.tell(`${seq} left in place: ${visible(reason)}`)
    if (this.#failed === REPORTED) this.#out.tell('further failures are only counted')
  }

  #counts(): string {
    return `${this.#done} ${this.#act.verb}, ${this.#failed} left in place`
  }
}

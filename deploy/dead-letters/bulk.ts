import type { Broker } from '@whereabouts/messaging/connection'
import { deadLetterExtent } from '@whereabouts/messaging/dead-letters-page'
import { removeDeadLetter, replayDeadLetter, type Settled } from '@whereabouts/messaging/dead-letters-settle'
import { errorText } from '../error-text.ts'
import type { BulkRequest, Filters } from './arguments.ts'
import type { Out } from './list.ts'
import { oldestFirst } from './pages.ts'
import { table, visible } from './visible.ts'

type Act = { verb: string; on(seq: number): Promise<Settled> }

/** False when one was left where it is. */
export const replayLetters = (broker: Broker, request: BulkRequest, out: Out) =>
  carryOut(broker, request, { verb: 'replayed', on: (seq) => replayDeadLetter(broker, seq) }, out)

/** False when one was left where it is. */
export const dropLetters = (broker: Broker, request: BulkRequest, out: Out) =>
  carryOut(broker, request, { verb: 'dropped', on: (seq) => removeDeadLetter(broker, seq) }, out)

async function carryOut(broker: Broker, { selection }: BulkRequest, act: Act, out: Out): Promise<boolean> {
  if ('seqs' in selection) return new Progress(act, out).finish([selection.seqs])
  if (selection.yes) return new Progress(act, out).finish(seqsOf(broker, selection.filters))
  return foretell(broker, selection.filters, act, out)
}

/** As of now: what fails again meanwhile comes back behind the last of them, and is not met a second time. */
async function* seqsOf(broker: Broker, filters: Filters): AsyncGenerator<number[]> {
  const extent = await deadLetterExtent(broker)
  for await (const page of oldestFirst(broker, filters, extent)) yield page.map(({ seq }) => seq)
}

async function foretell(broker: Broker, filters: Filters, { verb }: Act, out: Out): Promise<true> {
  const counts = new Map<string, number>()
  const extent = await deadLetterExtent(broker)
  for await (const page of oldestFirst(broker, filters, extent))
    for (const { stream, durable } of page)
      counts.set(`${stream} ${durable}`, (counts.get(`${stream} ${durable}`) ?? 0) + 1)
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0)
  if (total > 0) out.print(table([...counts].map(([whose, count]) => [visible(whose), String(count)])))
  out.print(total === 0 ? 'nothing to do' : `${total} would be ${verb}: add --yes. Nothing was done.`)
  return true
}

/** Failures told one by one; of a flood, the first. */
const TOLD = 20
/** Letters between two words about how far it is. */
const STRIDE = 500

/** Works through dead letters one after the other and says how it goes. */
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
    else this.#tellFailure(seq, settled.reason)
    if ((this.#done + this.#failed) % STRIDE === 0) this.#out.tell(this.#counts())
  }

  #tellFailure(seq: number, reason: string): void {
    this.#failed += 1
    if (this.#failed <= TOLD) this.#out.tell(`${seq} left in place: ${visible(reason)}`)
    if (this.#failed === TOLD) this.#out.tell('further ones are counted only')
  }

  #counts(): string {
    return `${this.#done} ${this.#act.verb}, ${this.#failed} left in place`
  }
}

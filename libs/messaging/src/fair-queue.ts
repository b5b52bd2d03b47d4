import type { Delivery } from './delivery.ts'
import type { MayTake } from './lane.ts'

/** Bytes that a group may take in one turn: some milliseconds of work. Larger messages wait for several turns. */
const QUANTUM_BYTES = 64 * 1024
/** What a message costs beside its bytes, so that a flood of tiny ones counts as a flood. */
const MESSAGE_COST = 512

/** What a message weighs where groups are compared. */
const costOf = ({ data }: Pick<Delivery, 'data'>): number => data.length + MESSAGE_COST

type Line = { group: string; waiting: Delivery[]; head: number; cost: number; credit: number }

/**
 * Deliveries waiting for their turn, a line for each group. Lines take turns by deficit round robin over bytes: nobody
 * waits behind the backlog of another group. With one group it is first in, first out.
 */
export class FairQueue {
  /** In the order of their turns; only those in which somebody waits. */
  readonly #lines = new Map<string, Line>()
  #length = 0
  #bytes = 0

  get length(): number {
    return this.#length
  }
  /** Of the payloads. */
  get bytes(): number {
    return this.#bytes
  }

  /** What a group holds. */
  costOf(group: string): number {
    return this.#lines.get(group)?.cost ?? 0
  }

  /** When the first of a group arrived; undefined when none waits. */
  waitingSince(group: string): number | undefined {
    const line = this.#lines.get(group)
    return line?.waiting[line.head]?.arrivedAt
  }

  /** Groups that hold at least so much. */
  countFrom(cost: number): number {
    let count = 0
    for (const line of this.#lines.values()) if (line.cost >= cost) count += 1
    return count
  }

  /** What the group that holds most holds. */
  get largestCost(): number {
    let largest = 0
    for (const { cost } of this.#lines.values()) if (cost > largest) largest = cost
    return largest
  }

  push(delivery: Delivery): void {
    const { group } = delivery
    let line = this.#lines.get(group)
    if (!line) this.#lines.set(group, (line = { group, waiting: [], head: 0, cost: 0, credit: 0 }))
    line.waiting.push(delivery)
    line.cost += costOf(delivery)
    this.#length += 1
    this.#bytes += delivery.data.length
  }

  /** How many wait of groups that may be taken, and when the first of them arrived. */
  waiting(mayTake: MayTake): { count: number; since: number } {
    let [count, since] = [0, Number.POSITIVE_INFINITY]
    for (const { group, waiting, head } of this.#lines.values()) {
      if (!mayTake(group)) continue
      count += waiting.length - head
      since = Math.min(since, waiting[head]?.arrivedAt ?? since)
    }
    return { count, since }
  }

  /**
   * The next ones by turns, of groups that may be taken: `max` at most, and of these only so many that the last one reaches
   * `maxBytes`.
   */
  take(max: number, maxBytes: number, mayTake: MayTake = () => true): Delivery[] {
    const taken: Delivery[] = []
    let bytes = 0
    while (taken.length < max && bytes < maxBytes) {
      const line = this.#firstOf(mayTake)
      if (!line) break
      // Alone, a line needs no turns.
      line.credit += this.#lines.size === 1 ? Number.POSITIVE_INFINITY : QUANTUM_BYTES
      for (let next = line.waiting[line.head]; next; next = line.waiting[line.head]) {
        if (taken.length >= max || bytes >= maxBytes || costOf(next) > line.credit) break
        this.#remove(line, next)
        taken.push(next)
        bytes += next.data.length
      }
      this.#endTurn(line)
    }
    return taken
  }

  /** Everything, line by line; the queue is empty then. */
  clear(): Delivery[] {
    const all = [...this]
    this.#lines.clear()
    this.#length = this.#bytes = 0
    return all
  }

  *[Symbol.iterator](): Iterator<Delivery> {
    for (const { waiting, head } of this.#lines.values())
      for (let i = head; i < waiting.length; i += 1) yield waiting[i]!
  }

  #firstOf(mayTake: MayTake): Line | undefined {
    for (const line of this.#lines.values()) if (mayTake(line.group)) return line
    return undefined
  }

  #remove(line: Line, next: Delivery): void {
    line.head += 1
    const cost = costOf(next)
    line.cost -= cost
    line.credit -= cost
    this.#length -= 1
    this.#bytes -= next.data.length
    if (line.head < 1_024) return
    line.waiting.splice(0, line.head) // now and then: one by one it would cost as much as the queue is long
    line.head = 0
  }

  /** Whoever has more comes behind the others. Credit is saved only for a message that is larger than it. */
  #endTurn(line: Line): void {
    this.#lines.delete(line.group)
    const next = line.waiting[line.head]
    if (!next) return
    if (costOf(next) <= line.credit) line.credit = 0
    this.#lines.set(line.group, line)
  }
}

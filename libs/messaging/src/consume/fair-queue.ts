import type { Delivery } from '../messages/delivery.ts'

/** True if deliveries of the group may be taken now. */
export type MayTake = (group: string) => boolean

/** Bytes that a group may take in one turn: a few milliseconds of work. A larger message waits for several turns. */
const QUANTUM_BYTES = 64 * 1024
/** A message costs at least this much, so that a flood of tiny messages counts as a flood. */
const LEAST_COST = 1_024

/** The cost of a message when groups are compared. */
const costOf = ({ data }: Pick<Delivery, 'data'>): number => Math.max(LEAST_COST, data.length)

type Line = { group: string; waiting: Delivery[]; head: number; cost: number; credit: number }

/**
 * Waiting deliveries, in one line per group. Lines take turns by deficit round robin over bytes, so that no group waits
 * behind the backlog of another. With one group it is first in, first out.
 */
export class FairQueue {
  /** The lines that are not empty, in the order of their turns. */
  readonly #lines = new Map<string, Line>()
  #length = 0
  #bytes = 0

  get length(): number {
    return this.#length
  }
  /** Size of the payloads. */
  get bytes(): number {
    return this.#bytes
  }

  /** The cost of what a group holds. */
  costOf(group: string): number {
    return this.#lines.get(group)?.cost ?? 0
  }

  /** When the first delivery of a group arrived; undefined if none waits. */
  waitingSince(group: string): number | undefined {
    const line = this.#lines.get(group)
    return line?.waiting[line.head]?.arrivedAt
  }

  /** How many groups hold at least this cost. */
  countFrom(cost: number): number {
    let count = 0
    for (const line of this.#lines.values()) if (line.cost >= cost) count += 1
    return count
  }

  /** The cost of the group that holds most. */
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

  /** How many deliveries wait in groups that may be taken, and when the first of them arrived. */
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
   * The next deliveries of groups that may be taken; groups take turns. At most `max`; ends with the delivery that
   * reaches `maxBytes`.
   */
  take(max: number, maxBytes: number, mayTake: MayTake = () => true): Delivery[] {
    const taken: Delivery[] = []
    let bytes = 0
    while (taken.length < max && bytes < maxBytes) {
      const line = this.#firstOf(mayTake)
      if (!line) break
      // A single line needs no turns.
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

  /** Removes the deliveries of a group, the oldest first. */
  remove(group: string): Delivery[] {
    const line = this.#lines.get(group)
    const all = line?.waiting.slice(line.head) ?? []
    this.#lines.delete(group)
    this.#length -= all.length
    for (const { data } of all) this.#bytes -= data.length
    return all
  }

  /** Removes the deliveries to which this applies, line by line. */
  removeIf(isMeant: (delivery: Delivery) => boolean): Delivery[] {
    const meant = [...this].filter(isMeant)
    for (const group of new Set(meant.map((delivery) => delivery.group)))
      for (const delivery of this.remove(group)) if (!isMeant(delivery)) this.push(delivery)
    return meant
  }

  *[Symbol.iterator](): Iterator<Delivery> {
    for (const { waiting, head } of this.#lines.values()) yield* waiting.slice(head)
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
    line.waiting.splice(0, line.head) // rarely: each splice costs time in proportion to the length of the line
    line.head = 0
  }

  /** A line that is not empty goes to the end. It keeps its credit only if its next message is larger than that. */
  #endTurn(line: Line): void {
    this.#lines.delete(line.group)
    const next = line.waiting[line.head]
    if (!next) return
    if (costOf(next) <= line.credit) line.credit = 0
    this.#lines.set(line.group, line)
  }
}

import type { Claim } from './claims.queries.ts'
import { MOST_PASSED, type Found, type Work } from './work.queries.ts'

/** A claimed endpoint that has nothing to do is kept for this long, and while its next row is due within `DUE_SOON_MS`. */
const KEEP_MS = 2_000
const DUE_SOON_MS = 10_000

/** A claimed endpoint, in memory: up to where it was read, and what has been begun and not yet saved. */
export class Endpoint {
  readonly id: number
  readonly orgId: number
  /** Requests under way. */
  running = 0
  /** There may be more to read. */
  hasMore = true
  /** Not read before this moment; milliseconds. */
  pausedUntil = 0
  servedAt = 0
  /** When it last began a delivery. */
  activeAt = 0
  renewedAt: number
  isReleasing = false
  #moves: number
  #others: number
  #dueAt = Infinity
  #isDueTurn = true
  #isLooking = false
  /** Read and not yet saved. */
  readonly #open = new Set<Work>()
  /** Their turn has come. They begin with the endpoint as the next look finds it. */
  readonly #next: Work[] = []
  /** Of each thing: the delivery under way, or to be saved as a row that waits, and those behind it. */
  readonly #things = new Map<string, { current: Work | undefined; behind: Work[] }>()

  /** To be saved as rows that wait, without an attempt. */
  readonly #blocked = new Set<Work>()
  /** What changed while the database was asked: its answer may be older. */
  readonly #sinceLook = { due: new Set<number>(), waiting: new Set<string>() }

  constructor({ id, org_id, moves, others }: Claim, now: number) {
    this.id = id
    this.orgId = org_id
    this.#moves = moves
    this.#others = others
    this.renewedAt = now
  }

  /** Where it was read up to. */
  get read() {
    return { moves: this.#moves, others: this.#others }
  }

  get unsaved(): number {
    return this.#open.size
  }

  /** Up to where everything is saved once `saving` is. */
  positionAfter(saving: ReadonlySet<Work>) {
    const position = this.read
    for (const work of this.#open) {
      if (saving.has(work) || work.kind === 'due') continue
      const which = work.kind === 'move' ? 'moves' : 'others'
      position[which] = Math.min(position[which], work.seq - 1)
    }
    return position
  }

  isReady(now: number): boolean {
    return !this.isReleasing && this.pausedUntil <= now && (this.hasMore || this.#dueAt <= now)
  }

  isIdle(now: number): boolean {
    const isKept = now - this.activeAt < KEEP_MS || this.#dueAt - now < DUE_SOON_MS
    return this.unsaved === 0 && !this.hasMore && !this.#isLooking && !isKept
  }

  /** When it is ready without anything being recorded. */
  readyAt(): number {
    return this.hasMore ? this.pausedUntil : this.#dueAt
  }

  /** A row is due from then on. */
  dueAt(moment: number): void {
    this.#dueAt = Math.min(this.#dueAt, moment)
  }

  /** Before the database is asked for work. */
  beginLook(): void {
    this.#isLooking = true
    this.hasMore = false // what is recorded from now on may not be in the answer
    this.#sinceLook.due = new Set([...this.#open].flatMap(({ kind, seq }) => (kind === 'due' ? seq : [])))
    this.#sinceLook.waiting.clear()
  }

  /** There was no answer, or it cannot be used yet. */
  lookFailed(): void {
    this.#isLooking = false
    this.hasMore = true
  }

  /**
   * Takes at most `want` deliveries: moves and rows that are due in turns, then all else. Remembers up to where it has read.
   * `blocked` wait for a row of an earlier event of the same thing.
   */
  take(found: Found, want: number, now: number): { begun: Work[]; blocked: Work[] } {
    this.#isLooking = false
    const begun = this.#next.splice(0, want)
    const of = (kind: Work['kind']) => found.work.filter((one) => one.kind === kind)
    const queues = {
      due: of('due').filter(({ seq }) => !this.#sinceLook.due.has(seq)),
      move: of('move'),
      other: of('other'),
    }
    const taken = { due: 0, move: 0, other: 0 }
    const picked: Work[] = []
    const pick = (kind: Work['kind']): boolean => {
      const one = queues[kind][taken[kind]]
      if (!one) return false
      taken[kind] += 1
      // An event with a row has ended, or its row is what is due.
      if (kind === 'due' || !one.isKnown) picked.push(one)
      return true
    }
    while (begun.length + picked.length < want) {
      this.#isDueTurn = !this.#isDueTurn
      const [first, second] = this.#isDueTurn ? (['due', 'move'] as const) : (['move', 'due'] as const)
      if (!pick(first) && !pick(second) && !pick('other')) break
    }
    for (const one of picked) this.#open.add(one)
    if (picked.length > 0) this.activeAt = now
    this.#advance(found, want, { queues, taken })
    this.#dueAt = found.dueInMs === null ? Infinity : now + found.dueInMs
    this.servedAt = now
    return this.#inOrder(begun, picked)
  }

  #advance(
    { head, passed, passedTo, target }: Found,
    want: number,
    { queues, taken }: { queues: Record<Work['kind'], Work[]>; taken: Record<Work['kind'], number> },
  ): void {
    const isAll = (kind: Work['kind']) => taken[kind] === queues[kind].length && queues[kind].length < want
    const lastTaken = (kind: 'move' | 'other', otherwise: number) =>
      queues[kind][taken[kind] - 1]?.seq ?? otherwise
    const looked = passed < MOST_PASSED ? Math.max(this.#others, head) : (passedTo ?? this.#others)
    this.#moves = isAll('move') ? Math.max(this.#moves, head) : lastTaken('move', this.#moves)
    this.#others = isAll('other') ? looked : lastTaken('other', this.#others)
    if (target.retry === 'extended') this.#moves = this.#others // one order for all types
    this.hasMore ||=
      !(isAll('due') && isAll('move') && isAll('other')) || passed === MOST_PASSED || this.#next.length > 0
  }

  /** Of deliveries of one thing, only the first begins. */
  #inOrder(begun: Work[], picked: readonly Work[]): { begun: Work[]; blocked: Work[] } {
    const blocked: Work[] = []
    for (const one of picked) {
      const thing = one.thing === null ? undefined : this.#things.get(one.thing)
      if (one.kind !== 'due' && this.#mustWait(one)) blocked.push(one)
      else if (thing?.current) thing.behind.push(one)
      else {
        if (one.thing !== null) this.#things.set(one.thing, { current: one, behind: [] })
        begun.push(one)
      }
    }
    for (const one of blocked) this.#blocked.add(one)
    return { begun, blocked }
  }

  /** An earlier event of the thing is a row that waits, or is about to become one. */
  #mustWait({ thing, isBehind }: Work): boolean {
    if (thing === null) return false
    return (
      isBehind || this.#sinceLook.waiting.has(thing) || [...this.#blocked].some((one) => one.thing === thing)
    )
  }

  /** A delivery has been made or dropped, and is about to be saved. What waits again stays ahead of its thing. */
  ended({ thing: name }: Work, isWaiting: boolean): void {
    const thing = name === null ? undefined : this.#things.get(name)
    if (!thing || isWaiting) return
    thing.current = thing.behind.shift()
    if (!thing.current) return
    this.#next.push(thing.current)
    this.hasMore = true
  }

  /** It is saved. Returns what was behind it, to be saved as rows that wait as well. */
  saved(work: Work): Work[] {
    this.#open.delete(work)
    if (this.#blocked.delete(work) && work.thing !== null) this.#sinceLook.waiting.add(work.thing)
    const thing = work.thing === null ? undefined : this.#things.get(work.thing)
    if (work.thing === null || !thing || (thing.current && thing.current !== work)) return []
    this.#things.delete(work.thing)
    if (thing.current) this.#sinceLook.waiting.add(work.thing)
    for (const one of thing.behind) this.#blocked.add(one)
    return thing.behind
  }
}

import type { ReaderClockState } from '@whereabouts/contracts/resources/tracking/readers'

/** No clock that is set shows a time before 2015. */
export const CLOCK_SET_SINCE_MS = Date.UTC(2015, 0, 1)
/** A message whose newest time is nearer to its receipt shows a clock that is right. */
const RIGHT_WITHIN_MS = 5 * 60_000
/** The offsets of a clock that is merely wrong lie so near to one another: two minutes to each side of one offset. */
const SPREAD_MS = 4 * 60_000
/** So many messages over so long tell a wrong clock from a backlog, which shrinks. */
const ENOUGH = { messages: 5, ms: 60_000 }
/** A run whose offset only ever came nearer to zero, by so much in all, is a backlog that shrinks. */
const SHRINKS_MS = 5_000

/** What a message says about the clock: its newest time minus its receipt, or that the clock is not set. */
export type ClockSample = { atMs: number; offsetMs: number | 'unset' }

/** Messages in a row with about one offset of more than five minutes; or, with `isUnset`, from a clock that is not set. */
type Run = {
  isUnset: boolean
  messages: number
  /** Receipt of the first and of the last one. */
  from: number
  to: number
  min: number
  max: number
  first: number
  last: number
  /** Each offset was as near to zero as the one before it, or nearer. */
  shrinks: boolean
}

/**
 * The clock of a reader, as its messages tell. Mergeable: the states of two times, or of two replicas, give the state of
 * both. `broke`: among the messages was one that does not belong to a run before them, and `head` is the run up to it.
 * `right`: among them was one that shows a right clock. `wrong` is the run that proved the clock wrong. It stays until a
 * message shows a right clock.
 */
export type ReaderClock = {
  state: ReaderClockState
  right: boolean
  broke: boolean
  head: Run | null
  run: Run | null
  wrong: Run | null
}

/** The state that one message gives. */
export function clockOf({ atMs, offsetMs }: ClockSample): ReaderClock {
  if (offsetMs !== 'unset' && Math.abs(offsetMs) <= RIGHT_WITHIN_MS)
    return { state: 'ok', right: true, broke: true, head: null, run: null, wrong: null }
  const isUnset = offsetMs === 'unset' || atMs + offsetMs < CLOCK_SET_SINCE_MS
  const offset = isUnset ? 0 : offsetMs
  const run = { isUnset, messages: 1, from: atMs, to: atMs, min: offset, max: offset, first: offset, last: offset, shrinks: true } // oxfmt-ignore
  return withState({ right: false, broke: false, head: run, run, wrong: null })
}

/** The state after `newer`, which may have been received by another replica at the same time. */
export function mergeClocks(older: ReaderClock | null, newer: ReaderClock | null): ReaderClock | null {
  if (older === null || newer === null) return newer ?? older
  const right = older.right || newer.right
  const joined = older.run && newer.head ? join(older.run, newer.head) : (newer.head ?? older.run)
  const fits = joined !== undefined
  const before = joined && isProof(joined) ? joined : older.wrong
  const wrong = newer.wrong ?? (newer.right ? null : before)
  const head = older.broke ? older.head : (joined ?? older.run)
  const run = newer.broke || !fits ? newer.run : joined
  return withState({ right, broke: older.broke || newer.broke || !fits, head, run, wrong })
}

/** Undefined for runs of different offsets. */
function join(one: Run, other: Run): Run | undefined {
  const [min, max] = [Math.min(one.min, other.min), Math.max(one.max, other.max)]
  if (one.isUnset !== other.isUnset || max - min > SPREAD_MS) return undefined
  // The messages of two replicas overlap.
  const [a, b] = other.from >= one.from ? [one, other] : [other, one]
  const [ended, newest] = b.to >= a.to ? [a, b] : [b, a]
  const shrinks = isNearer(b.first, b.from >= a.to ? a.last : a.first) && isNearer(newest.last, ended.last)
  return {
    isUnset: one.isUnset,
    messages: one.messages + other.messages,
    from: a.from,
    to: newest.to,
    min,
    max,
    first: a.first,
    last: newest.last,
    shrinks: one.shrinks && other.shrinks && shrinks,
  }
}

const isNearer = (offset: number, than: number) => Math.abs(offset) <= Math.abs(than)

function withState(clock: Omit<ReaderClock, 'state'>): ReaderClock {
  const { run } = clock
  const wrong = run && isProof(run) ? run : run && clock.wrong?.isUnset && !run.isUnset ? null : clock.wrong
  return { ...clock, wrong, state: run?.isUnset ? 'unset' : stateOf(wrong) }
}

function isProof({ messages, from, to, first, last, shrinks }: Run): boolean {
  const isBacklog = shrinks && first < 0 && last - first >= SHRINKS_MS
  return messages >= ENOUGH.messages && to - from >= ENOUGH.ms && !isBacklog
}

function stateOf(wrong: Run | null): ReaderClockState {
  if (wrong === null) return 'ok'
  if (wrong.isUnset) return 'unset'
  return wrong.max < 0 ? 'behind' : 'ahead'
}

/** The text of the problem of a wrong clock; undefined for a clock that is not proved wrong. */
export function clockProblem(clock: ReaderClock | null): string | undefined {
  const wrong = clock?.wrong
  if (!wrong) return undefined
  const messages = `for ${wrong.messages} messages`
  if (wrong.isUnset)
    return `The clock is not set ${messages}: its times are before 2015. Let the device get its time from a time server, or let the time of receipt count.`
  const offset = Math.round((wrong.min + wrong.max) / 2)
  const what = `The clock is ${hoursOf(offset)} ${offset < 0 ? 'behind' : 'ahead'} ${messages}`
  return isOfZone(offset)
    ? `${what}, which looks like local time sent as UTC. Set the time zone of the device (or of the reader, if its times name none), or let the time of receipt count.`
    : `${what}. Set the clock of the device, or let the time of receipt count.`
}

function hoursOf(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / 60_000)
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

const QUARTER_MS = 15 * 60_000
const WIDEST_ZONE_MS = 14 * 3_600_000

/** Zones differ from UTC by quarters of an hour. */
function isOfZone(offsetMs: number): boolean {
  const off = Math.abs(offsetMs - Math.round(offsetMs / QUARTER_MS) * QUARTER_MS)
  return off <= SPREAD_MS / 2 && Math.abs(offsetMs) <= WIDEST_ZONE_MS + SPREAD_MS / 2
}

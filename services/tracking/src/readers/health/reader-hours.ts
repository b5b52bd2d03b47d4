import type { NeutralRead } from '../../formats/decoder.ts'
import { MAX_ANTENNAS } from './device-reports.ts'

export const HOUR_MS = 3_600_000

/** The reads of an antenna: how many, and the signal of those that have one. */
type Signal = { reads: number; rssi_sum: number; rssi_count: number }

/** By antenna. */
export type Signals = Map<number, Signal>

/** A row of `reader_hour`, without the reader. `hour` counts from 1970. */
type ReaderHour = Signal & {
  hour: number
  antenna: number
  messages: number
  problems: number
  /** Of the whole reader: the one that was farthest from 0; null without a time in its messages. */
  clock_offset_ms: number | null
}

/** By hour and antenna. */
export type ReaderHours = Map<string, ReaderHour>

/** Instead of an antenna: the whole reader. */
export const WHOLE_READER = 0
/** Instead of an antenna: all beyond 32, so that a hostile reader makes a bounded number of rows. */
export const OTHER_ANTENNAS = -1

export function addSignal(signals: Signals, { antenna: sent, extra, rssi_dbm: rssi }: NeutralRead): void {
  const antenna = extra?.antenna_unusable ? WHOLE_READER : sent
  let signal = signals.get(antenna)
  if (signal === undefined) signals.set(antenna, (signal = { reads: 0, rssi_sum: 0, rssi_count: 0 }))
  signal.reads += 1
  if (rssi === null) return
  signal.rssi_sum += rssi
  signal.rssi_count += 1
}

type Message = {
  seenAtMs: number
  messages: number
  isProblem: boolean
  clockOffsetMs: number | null
  signals: Signals
}

/** Adds a message. Reads of an unusable antenna count for the whole reader only. */
export function addMessage(hours: ReaderHours, message: Message): void {
  const { seenAtMs, messages, isProblem, clockOffsetMs, signals } = message
  const hour = Math.floor(seenAtMs / HOUR_MS)
  const whole = hourOf(hours, hour, WHOLE_READER)
  whole.messages += messages
  if (isProblem) whole.problems += 1
  whole.clock_offset_ms = farther(whole.clock_offset_ms, clockOffsetMs)
  for (const [antenna, signal] of signals) {
    add(whole, signal)
    if (antenna < 1) continue
    add(hourOf(hours, hour, antenna <= MAX_ANTENNAS ? antenna : OTHER_ANTENNAS), signal)
  }
}

export function addHours(into: ReaderHours, hours: ReaderHours): void {
  for (const row of hours.values()) {
    const sum = hourOf(into, row.hour, row.antenna)
    sum.messages += row.messages
    sum.problems += row.problems
    sum.clock_offset_ms = farther(sum.clock_offset_ms, row.clock_offset_ms)
    add(sum, row)
  }
}

function hourOf(hours: ReaderHours, hour: number, antenna: number): ReaderHour {
  const name = `${hour} ${antenna}`
  const known = hours.get(name)
  if (known) return known
  const made = {
    hour,
    antenna,
    messages: 0,
    problems: 0,
    reads: 0,
    rssi_sum: 0,
    rssi_count: 0,
    clock_offset_ms: null,
  }
  hours.set(name, made)
  return made
}

/** The offset that is farther from 0. */
const farther = (a: number | null, b: number | null): number | null =>
  a === null || (b !== null && Math.abs(b) > Math.abs(a)) ? b : a

function add(into: Signal, { reads, rssi_sum, rssi_count }: Signal): void {
  into.reads += reads
  into.rssi_sum += rssi_sum
  into.rssi_count += rssi_count
}

import type { NeutralRead } from '../formats/decoder.ts'
import { MAX_ANTENNAS } from './device-reports.ts'

export const HOUR_MS = 3_600_000

/** The reads of an antenna: how many, and the signal of those that have one. */
type Signal = { reads: number; rssi_sum: number; rssi_count: number }

/** By antenna. */
export type Signals = Map<number, Signal>

/** A row of `reader_hour`, without the reader. `hour` counts from 1970. */
type ReaderHour = Signal & { hour: number; antenna: number; messages: number; problems: number }

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

type Message = { seenAtMs: number; messages: number; isProblem: boolean; signals: Signals }

/** Adds a message. Reads of an unusable antenna count for the whole reader only. */
export function addMessage(hours: ReaderHours, { seenAtMs, messages, isProblem, signals }: Message): void {
  const hour = Math.floor(seenAtMs / HOUR_MS)
  const whole = hourOf(hours, hour, WHOLE_READER)
  whole.messages += messages
  if (isProblem) whole.problems += 1
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
    add(sum, row)
  }
}

function hourOf(hours: ReaderHours, hour: number, antenna: number): ReaderHour {
  const name = `${hour} ${antenna}`
  const known = hours.get(name)
  if (known) return known
  const made = { hour, antenna, messages: 0, problems: 0, reads: 0, rssi_sum: 0, rssi_count: 0 }
  hours.set(name, made)
  return made
}

function add(into: Signal, { reads, rssi_sum, rssi_count }: Signal): void {
  into.reads += reads
  into.rssi_sum += rssi_sum
  into.rssi_count += rssi_count
}

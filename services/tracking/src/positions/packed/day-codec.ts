import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { BitReader, BitWriter } from './bits.ts'
import { DAY_MS, type Day, type DayRow, type RowCause, type Seen } from './day-rows.ts'

/**
 * The rows of an asset and day (ADR 115). `seen` has the minutes and locations, and `detail` the milliseconds and what caused each
 * row. `extra` has what few rows have, by their place in the day: null if no row has any of it.
 */
export type PackedDay = { seen: Buffer; detail: Buffer; extra: Buffer | null }

/** Another number says that the bytes are laid out differently. */
const LAYOUT = 1
const MINUTE_US = 60_000_000

type Extra = Partial<Pick<DayRow, 'at' | 'outvoted' | 'carried_from'>>

/** Expects one row or more, in the order of their minutes. */
export function packDay(day: Day, rows: readonly DayRow[]): PackedDay {
  const detail = new BitWriter()
  detail.rice(rows.map((row) => millisecondsOf(day, row) ?? 0))
  writeIndexes(detail, rows.map((row) => row.tag_id), (tag) => detail.varint(tag ?? 0)) // oxfmt-ignore
  writeIndexes(detail, rows, (row) => writeSource(detail, row), sourceOf, isSameSource)
  return { seen: packSeen(rows), detail: detail.finish(), extra: packExtra(day, rows) }
}

/** Runs of minutes without a gap at one location. */
function packSeen(rows: readonly DayRow[]): Buffer {
  const starts = rows.flatMap((row, i) => {
    const before = rows[i - 1]
    return before?.minute === row.minute - 1 && before.location_id === row.location_id ? [] : [i]
  })
  const runs = starts.map((start, i) => ({ start, length: (starts[i + 1] ?? rows.length) - start }))
  const writer = new BitWriter()
  writer.bits(LAYOUT, 4)
  writer.varint(runs.length)
  writer.rice(runs.map(({ start }) => (rows[start]?.minute ?? 0) - (rows[start - 1]?.minute ?? -1) - 1))
  writer.rice(runs.map(({ length }) => length - 1))
  const places = runs.map(({ start }) => rows[start]?.location_id ?? null)
  writeIndexes(writer, places, (place) => writer.varint(place ?? 0))
  return writer.finish()
}

/** What can be read without the causes. */
export function unpackSeen(day: Day, { seen, detail, extra }: PackedDay): Seen[] {
  return readSeen(day, seen, new BitReader(detail), unpackExtra(extra))
}

/** Rows one after the other at one location. Instants of the first and the last one, in microseconds since 1970. */
export type Stretch = { at: number; last: number; location_id: number | null }

/** Its rows before `to` as stretches without a longer pause than `maxUs`, which is at least a minute. Makes no object for each row. */
export function unpackStretches(
  day: Day,
  packed: PackedDay,
  { to, maxUs }: { to: number; maxUs: number },
): Stretch[] {
  const { gaps, lengths, places } = readRuns(day, packed.seen)
  const milliseconds = new BitReader(packed.detail).rice(lengths.reduce((sum, more) => sum + more + 1, 0))
  const extra = unpackExtra(packed.extra)
  const most = Math.ceil((to - startOf(day, 0)) / MINUTE_US) - 1
  // Rows of neighboring minutes are less than two minutes apart, if each is within its minute.
  const isWhole = maxUs >= 2 * MINUTE_US && extra.size === 0
  const found: Stretch[] = []
  let [minute, i] = [0, 0]
  for (const [run, gap] of gaps.entries()) {
    minute += gap
    const more = lengths[run] ?? 0
    const last = Math.min(more, most - minute)
    const at = (n: number) =>
      extra.get(i + n)?.at ?? startOf(day, minute + n) + (milliseconds[i + n] ?? 0) * 1_000
    for (let n = 0; n <= last; n = isWhole ? last + 1 : n + 1) {
      const stretch = { at: at(n), last: at(isWhole ? last : n), location_id: places[run] ?? null }
      const before = found.at(-1)
      if (before?.location_id === stretch.location_id && stretch.at - before.last <= maxUs)
        before.last = stretch.last
      else found.push(stretch)
    }
    minute += more + 1
    i += more + 1
  }
  return found
}

export function unpackDay(day: Day, packed: PackedDay): DayRow[] {
  const detail = new BitReader(packed.detail)
  const extra = unpackExtra(packed.extra)
  const seen = readSeen(day, packed.seen, detail, extra)
  const tags = readIndexes(detail, seen.length, () => detail.varint() || null)
  const sources = readIndexes(detail, seen.length, () => readSource(detail))
  return seen.map((row, i) => {
    const { outvoted = null, carried_from = null } = extra.get(i) ?? {}
    return Object.assign(row, sources[i] ?? NO_SOURCE, { tag_id: tags[i] ?? null, outvoted, carried_from })
  })
}

/** The last row up to an instant in microseconds since 1970. Reads no further than it has to. */
export function findLastSeen(day: Day, packed: PackedDay, us: number): Seen | undefined {
  if (packed.extra !== null) return unpackSeen(day, packed).findLast(({ at }) => at <= us)
  const { gaps, lengths, places } = readRuns(day, packed.seen)
  const most = Math.floor((us - startOf(day, 0)) / MINUTE_US)
  let [end, count, best, place]: [number, number, number, number | null] = [-1, 0, -1, null]
  let previous: { minute: number; place: number | null } | undefined
  for (const [run, gap] of gaps.entries()) {
    const start = end + gap + 1
    if (start > most) break
    const length = Math.min(lengths[run] ?? 0, most - start)
    previous = length > 0 ? { minute: start + length - 1, place: places[run] ?? null } : lastOf(best, place)
    ;[best, place] = [start + length, places[run] ?? null]
    count += length + 1
    end = start + (lengths[run] ?? 0)
  }
  if (best === -1) return undefined
  const detail = new BitReader(packed.detail)
  const milliseconds = detail.rice(count)
  const at = startOf(day, best) + (milliseconds[count - 1] ?? 0) * 1_000
  if (at <= us) return { minute: best, at, location_id: place }
  return (
    previous && {
      minute: previous.minute,
      at: startOf(day, previous.minute) + (milliseconds[count - 2] ?? 0) * 1_000,
      location_id: previous.place,
    }
  )
}

const lastOf = (minute: number, place: number | null) => (minute === -1 ? undefined : { minute, place })

function readRuns(day: Day, seen: Buffer) {
  const reader = new BitReader(seen)
  const layout = reader.bits(4)
  if (layout !== LAYOUT)
    throw new Error(`history of day ${day} is packed in layout ${layout}, which this release cannot read`)
  const count = reader.varint()
  const gaps = reader.rice(count)
  const lengths = reader.rice(count)
  return { gaps, lengths, places: readIndexes(reader, count, () => reader.varint() || null) }
}

function readSeen(day: Day, seen: Buffer, detail: BitReader, extra: ReadonlyMap<number, Extra>): Seen[] {
  const { gaps, lengths, places } = readRuns(day, seen)
  const rows: Seen[] = []
  let minute = -1
  for (const [run, gap] of gaps.entries()) {
    minute += gap
    for (let left = lengths[run] ?? 0; left >= 0; left -= 1) {
      minute += 1
      rows.push({ minute, at: startOf(day, minute), location_id: places[run] ?? null })
    }
  }
  const milliseconds = detail.rice(rows.length)
  for (const [i, row] of rows.entries()) row.at = extra.get(i)?.at ?? row.at + (milliseconds[i] ?? 0) * 1_000
  return rows
}

const startOf = (day: Day, minute: number) => day * DAY_MS * 1_000 + minute * MINUTE_US

/** Within the minute; undefined for an instant that is not a whole millisecond of its minute. */
function millisecondsOf(day: Day, { minute, at }: DayRow): number | undefined {
  const within = (at - startOf(day, minute)) / 1_000
  return Number.isInteger(within) && within >= 0 && within < 60_000 ? within : undefined
}

type Source = Omit<RowCause, 'tag_id'>
const NO_SOURCE: Source = {
  reader_key: null, antenna: null, location_key: null, scan_point_id: null, empty_scan_point_id: null,
} // oxfmt-ignore

const sourceOf = ({ reader_key, antenna, location_key, scan_point_id, empty_scan_point_id }: Source) =>
  JSON.stringify([reader_key, antenna, location_key, scan_point_id, empty_scan_point_id])

const isSameSource = (a: Source, b: Source) =>
  a.reader_key === b.reader_key &&
  a.antenna === b.antenna &&
  a.scan_point_id === b.scan_point_id &&
  a.empty_scan_point_id === b.empty_scan_point_id &&
  a.location_key === b.location_key

/** Null is 0, or a bit for texts, which may be empty. */
function writeSource(writer: BitWriter, source: Source): void {
  for (const text of [source.reader_key, source.location_key]) {
    writer.bits(text === null ? 0 : 1, 1)
    if (text !== null) writer.text(text)
  }
  for (const number of [source.antenna, source.scan_point_id, source.empty_scan_point_id])
    writer.varint(number ?? 0)
}

function readSource(reader: BitReader): Source {
  const text = () => (reader.bits(1) === 1 ? reader.text() : null)
  const number = () => reader.varint() || null
  const [reader_key, location_key] = [text(), text()]
  return {
    reader_key,
    location_key,
    antenna: number(),
    scan_point_id: number(),
    empty_scan_point_id: number(),
  }
}

/** Values that repeat: each different one once, and then runs of the same one. */
function writeIndexes<T>(
  writer: BitWriter,
  values: readonly T[],
  write: (value: T) => void,
  nameOf: (value: T) => unknown = (value) => value,
  isSame: (a: T, b: T) => boolean = Object.is,
): void {
  const indexes = new Map<unknown, number>()
  const runs: { index: number; length: number }[] = []
  const different: T[] = []
  for (const [i, value] of values.entries()) {
    const run = runs.at(-1)
    if (run && isSame(value, values[i - 1] as T)) {
      run.length += 1
      continue
    }
    const name = nameOf(value)
    const index = indexes.get(name) ?? different.push(value) - 1
    indexes.set(name, index)
    runs.push({ index, length: 1 })
  }
  writer.varint(different.length)
  for (const value of different) write(value)
  if (different.length < 2) return
  writer.varint(runs.length)
  writer.rice(runs.map(({ length }) => length - 1))
  const width = widthOf(different.length)
  for (const { index } of runs) writer.bits(index, width)
}

function readIndexes<T>(reader: BitReader, count: number, read: () => T): T[] {
  const different = Array.from({ length: reader.varint() }, read)
  const lengths = different.length < 2 ? [count - 1] : reader.rice(reader.varint())
  const width = widthOf(different.length)
  const values: T[] = []
  for (const more of lengths) {
    const value = different[reader.bits(width)] as T
    for (let left = more; left >= 0; left -= 1) values.push(value)
  }
  return values
}

const widthOf = (different: number) => Math.ceil(Math.log2(different))

function packExtra(day: Day, rows: readonly DayRow[]): Buffer | null {
  const extra = rows.flatMap((row, i): [number, Extra][] => {
    const of: Extra = {
      ...(millisecondsOf(day, row) === undefined && { at: row.at }),
      ...(row.outvoted !== null && { outvoted: row.outvoted }),
      ...(row.carried_from !== null && { carried_from: row.carried_from }),
    }
    return Object.keys(of).length > 0 ? [[i, of]] : []
  })
  return extra.length > 0 ? deflateRawSync(JSON.stringify(extra)) : null
}

const unpackExtra = (extra: Buffer | null): ReadonlyMap<number, Extra> =>
  new Map(extra === null ? [] : (JSON.parse(inflateRawSync(extra).toString()) as [number, Extra][]))

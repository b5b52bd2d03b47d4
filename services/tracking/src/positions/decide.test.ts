import { describe, expect, test } from 'vitest'
import { NOT_READ } from './cause.ts'
import { minuteOf, type Observation } from './observation.ts'
import { carried, evidenceAfterCarry, evidenceAfterSave } from './after.ts'
import { decide, type RowBefore } from './decide.ts'
import { carryAtMs, waitingOf } from './evidence.ts'
import type { Position } from './position.ts'
import { DEFAULT_RULES, type PlacementRules } from './rules.ts'

const [HALL, YARD, OFFICE] = [11, 12, 13]
const MINUTE = 60_000
const RULES: PlacementRules = { ...DEFAULT_RULES, marginDb: 6, exitDelaySeconds: 120 }

type Read = Partial<Pick<Observation, 'rssi' | 'isJudged' | 'readerKey'>>
/** Seconds since 1970. */
const read = (second: number, locationId: number | null, more: Read = {}): Observation => ({
  orgId: 1,
  assetId: 7,
  minute: minuteOf(second * 1_000),
  observedAtMs: second * 1_000,
  locationId,
  rssi: null,
  isJudged: true,
  ...NOT_READ,
  readerKey: 'gate',
  ...more,
})
const heard = (second: number, place: number, rssi: number | null) => read(second, place, { rssi })

type Row = { second: number; place: number | null; isOutvoted?: boolean }

/** An asset whose reads come in batches, as the store handles them. */
class Asset {
  position: Position | undefined
  readonly rows = new Map<number, Observation>()
  outvoted = 0
  #rules: PlacementRules
  #deleted: number[]

  constructor(rules: PlacementRules = DEFAULT_RULES, deleted: number[] = []) {
    this.#rules = rules
    this.#deleted = deleted
  }

  take(...reads: Observation[]): this {
    const before = this.position
    const decided = decide(before, reads, {
      rules: this.#rules,
      isDeleted: (id) => this.#deleted.includes(id),
      nowMs: 0,
      rowBefore: (minute): RowBefore | undefined =>
        [...this.rows.values()]
          .filter((row) => row.minute <= minute)
          .toSorted((a, b) => b.minute - a.minute)[0],
    })
    for (const row of decided.rows) {
      const there = this.rows.get(row.minute)
      if (!there || (there.locationId === null && row.locationId !== null)) this.rows.set(row.minute, row)
    }
    if (decided.replaced) this.rows.set(decided.replaced.minute, decided.replaced)
    this.outvoted += decided.outvoted.length
    this.#settle(decided.evidence)
    return this
  }

  carry(): this {
    const row = this.position && carried(this.position)
    if (!this.position || !row) return this
    const evidence = evidenceAfterCarry(this.position)
    this.rows.set(row.minute, row)
    this.#settle(evidence)
    return this
  }

  save(second: number, place: number): this {
    const row = read(second, place, { isJudged: false, readerKey: null })
    this.rows.set(row.minute, row)
    this.#settle(evidenceAfterSave(this.position?.evidence ?? null, row, this.#rules))
    return this
  }

  #settle(evidence: Position['evidence']): void {
    const sorted = [...this.rows.values()].toSorted((a, b) => a.minute - b.minute)
    const newest = sorted.at(-1)
    if (!newest) return
    const first = sorted.findLastIndex(({ locationId }) => locationId !== newest.locationId) + 1
    const dwellStartedAtMs = newest.locationId === null ? null : (sorted[first]?.observedAtMs ?? null)
    this.position = { ...newest, dwellStartedAtMs, evidence }
  }

  get history(): Row[] {
    return [...this.rows.values()]
      .toSorted((a, b) => a.minute - b.minute)
      .map(({ observedAtMs, locationId: place, outvoted }) => {
        const row = { second: observedAtMs / 1_000, place }
        return outvoted ? Object.assign(row, { isOutvoted: true }) : row
      })
  }

  get waiting(): [place: number, second: number] | null {
    const waiting = this.position ? waitingOf(this.position) : null
    return waiting && [waiting.place, waiting.at / 1_000]
  }
}

/** Each read on its own, and all in one batch: the same must come of both. */
const ways = (reads: readonly Observation[], rules = DEFAULT_RULES) => {
  const single = new Asset(rules)
  for (const one of reads) single.take(one)
  const together = new Asset(rules).take(...reads)
  expect(together.history.map(({ second, place }) => [second, place])).toEqual(
    single.history.map(({ second, place }) => [second, place]),
  )
  expect(together.position?.evidence).toEqual(single.position?.evidence)
  return single
}

describe('D8.1 a minute has one row', () => {
  test('of its first location in order of arrival, not of the instants', () => {
    expect(ways([read(40, YARD), read(10, HALL), read(60, HALL)]).history).toEqual([
      { second: 40, place: YARD },
      { second: 60, place: HALL },
    ])
  })

  test('a read with a location wins over reads without one, in either order', () => {
    expect(ways([read(10, null), read(20, HALL), read(30, YARD)]).history).toEqual([
      { second: 20, place: HALL },
    ])
    expect(ways([read(20, HALL), read(30, null)]).history).toEqual([{ second: 20, place: HALL }])
    expect(ways([read(10, null), read(20, null)]).history).toEqual([{ second: 10, place: null }])
  })
})

describe('D18.3 a passage: the last read of a minute', () => {
  test('waits if it is at another place, and becomes the first observation of the next minute', () => {
    const asset = ways([read(10, HALL), read(25, YARD)])
    expect(asset.waiting).toEqual([YARD, 25])
    expect(asset.carry().history).toEqual([
      { second: 10, place: HALL },
      { second: 60, place: YARD },
    ])
    expect(asset.rows.get(1)).toMatchObject({ carriedFromMs: 25_000, readerKey: 'gate' })
    expect(asset.waiting).toBeNull()
    expect(asset.carry().history).toHaveLength(2)
  })

  test.for([
    { name: 'back at the place of the row', reads: [read(10, HALL), read(25, YARD), read(30, HALL)], waits: null },
    { name: 'three times there and back', reads: [read(1, HALL), ...[2, 3, 4].flatMap((n) => [read(n * 10, YARD), read(n * 10 + 5, HALL)])], waits: null },
    { name: 'a longer journey', reads: [read(10, HALL), read(20, YARD), read(30, OFFICE)], waits: [OFFICE, 30] },
    { name: 'an earlier read that comes late', reads: [read(10, HALL), read(30, YARD), read(20, OFFICE)], waits: [YARD, 30] },
    { name: 'of equal times the later arrival', reads: [read(10, HALL), read(30, YARD), read(30, OFFICE)], waits: [OFFICE, 30] },
    { name: 'before the row in time', reads: [read(40, HALL), read(25, YARD)], waits: null },
    { name: 'a repeated message', reads: [read(10, HALL), read(25, YARD), read(10, HALL), read(25, YARD)], waits: [YARD, 25] },
    { name: 'without a location', reads: [read(10, HALL), read(25, null)], waits: null },
    { name: 'a later minute', reads: [read(10, HALL), read(25, YARD), read(61, HALL)], waits: null },
    { name: 'of a minute before the newest', reads: [read(10, HALL), read(61, HALL), read(25, YARD)], waits: null },
  ])('$name', ({ reads, waits }) => expect(ways(reads).waiting).toEqual(waits)) // oxfmt-ignore

  test('a save ends it; reads before the save are no last read', () => {
    const asset = new Asset().take(read(10, HALL), read(25, YARD)).save(30, OFFICE)
    expect(asset.waiting).toBeNull()
    expect(asset.take(read(20, YARD)).waiting).toBeNull()
    expect(asset.take(read(40, YARD)).waiting).toEqual([YARD, 40])
  })

  test('is carried 5 s after its minute, or after it came, whichever is later', () => {
    const last = { at: 25_000, place: YARD, cause: NOT_READ }
    expect(carryAtMs({ ...last, received: 26_000 })).toBe(MINUTE + 5_000)
    expect(carryAtMs({ ...last, received: 90_000 })).toBe(95_000)
  })

  test('what an earlier release left from another minute counts for nothing', () => {
    const asset = new Asset().take(read(10, HALL), read(25, YARD))
    // It stores the row of a later minute and leaves the evidence as it is.
    asset.rows.set(1, read(61, HALL))
    if (asset.position) asset.position = { ...asset.position, minute: 1, observedAtMs: 61_000 }
    expect(asset.waiting).toBeNull()
    expect(asset.take(read(70, OFFICE)).waiting).toEqual([OFFICE, 70])
  })
})

describe('D18.7 the zone decision', () => {
  const start = [heard(0, HALL, -60), heard(1, YARD, -90)]

  test('D18.8 a weaker place moves nothing, in any minute; the asset is seen, with what was set aside', () => {
    const reads = [0, 1, 2, 3].flatMap((m) => [heard(60 * m + 5, YARD, -88), heard(60 * m + 9, HALL, -58)])
    const asset = ways([heard(0, HALL, -58), ...reads], RULES)
    expect(asset.history.map(({ place }) => place)).toEqual([HALL, HALL, HALL, HALL])
    expect(asset.history[1]).toEqual({ second: 65, place: HALL, isOutvoted: true })
    expect(asset.rows.get(1)?.outvoted).toEqual([{ place: YARD, reader_key: 'gate', rssi: -88, reads: 1 }])
    expect(asset.outvoted).toBe(4)
    expect(asset.waiting).toBeNull()
  })

  test.for([
    { name: 'two reads that are clearly stronger', reads: [heard(10, YARD, -50), heard(20, YARD, -50)], moves: true },
    { name: 'one read', reads: [heard(10, YARD, -50)], moves: false },
    { name: 'two reads within a second', reads: [heard(10, YARD, -50), heard(10.9, YARD, -50)], moves: false },
    { name: 'exactly the margin', reads: [heard(10, YARD, -54), heard(11, YARD, -54)], moves: true },
    { name: 'less than the margin', reads: [heard(10, YARD, -55), heard(20, YARD, -55), heard(30, YARD, -55)], moves: false },
    { name: 'a weak read of the place between them', reads: [heard(10, YARD, -50), heard(15, YARD, -70), heard(20, YARD, -50)], moves: false },
    { name: 'reads of other places between them', reads: [heard(10, YARD, -50), heard(12, HALL, -60), heard(14, OFFICE, -80), heard(20, YARD, -50)], moves: true },
    { name: 'without a strength', reads: [heard(10, YARD, null), heard(20, YARD, null)], moves: false },
    { name: 'the current place without a strength', reads: [heard(5, HALL, null), heard(10, YARD, -30), heard(20, YARD, -30)], moves: false },
    { name: 'a read of a type that is not judged', reads: [read(10, YARD, { rssi: -90, isJudged: false })], moves: true },
  ])('$name', ({ reads, moves }) => {
    const asset = ways([...start, ...reads], RULES)
    expect(asset.waiting?.[0] ?? asset.position?.locationId).toBe(moves ? YARD : HALL)
  }) // oxfmt-ignore

  test('a place that is silent for the hold is left at once', () => {
    expect(ways([...start, heard(121, YARD, -90)], RULES).position?.locationId).toBe(YARD)
    expect(ways([...start, heard(120, YARD, -90)], RULES).position?.locationId).toBe(HALL)
    const short = { ...RULES, exitDelaySeconds: 0 }
    expect(ways([...start, heard(61, YARD, -90)], short).position?.locationId).toBe(YARD)
    expect(ways([...start, heard(60, YARD, -90)], short).position?.locationId).toBe(HALL)
  })

  test('a deleted place, or none, is left at once', () => {
    expect(new Asset(RULES, [HALL]).take(...start).waiting).toEqual([YARD, 1])
    const asset = ways([read(0, null), heard(1, YARD, -90), heard(2, HALL, -91)], RULES)
    expect(asset.history).toEqual([{ second: 1, place: YARD }])
  })

  test('a decided move replaces the row of its minute, unless that is a movement: then it waits', () => {
    const move = [heard(70, YARD, -40), heard(72, YARD, -40)]
    const asset = ways([heard(0, HALL, -60), heard(61, HALL, -60), ...move], RULES)
    expect(asset.history).toEqual([
      { second: 0, place: HALL },
      { second: 72, place: YARD },
    ])
    const back = asset.take(heard(80, HALL, -20), heard(82, HALL, -20))
    expect(back.history).toHaveLength(2)
    expect(back.waiting).toEqual([HALL, 82])
    // The place that was decided last is the current one, before a row says so.
    expect(back.take(heard(125, YARD, -40)).history.at(-1)).toEqual({
      second: 125,
      place: HALL,
      isOutvoted: true,
    })
  })

  test('a save counts as 0 dBm for the hold, whatever is read there, and then as what is read', () => {
    const asset = new Asset(RULES).take(...start).save(10, YARD)
    for (const second of [11, 13, 30, 60, 129]) asset.take(heard(second, HALL, -30), heard(second, YARD, -95))
    expect(asset.position?.locationId).toBe(YARD)
    asset.take(heard(131, HALL, -30), heard(133, HALL, -30))
    expect(asset.waiting?.[0] ?? asset.position?.locationId).toBe(HALL)
  })

  test('late reads fill history where the row before agrees or is older than the hold, else they are outvoted', () => {
    const asset = new Asset(RULES).take(heard(0, HALL, -60), heard(600, HALL, -60))
    asset.take(heard(60, YARD, -40), heard(61, HALL, -60), heard(300, YARD, -40), heard(420, HALL, -50))
    expect(asset.history).toEqual([
      { second: 0, place: HALL },
      { second: 60, place: HALL, isOutvoted: true },
      { second: 300, place: YARD },
      { second: 420, place: YARD, isOutvoted: true },
      { second: 600, place: HALL },
    ])
    expect(asset.waiting).toBeNull()
  })

  test('only what counts is kept: silent places are forgotten, and never more than sixteen', () => {
    const reads = Array.from({ length: 100 }, (_, n) => heard(n, 100 + n, -90))
    const asset = ways([heard(0, HALL, -50), ...reads], RULES)
    expect(asset.position?.evidence?.heard?.length).toBeLessThanOrEqual(16)
    expect(asset.position?.evidence?.outvoted).toHaveLength(5)
    asset.take(heard(1_000, HALL, -50))
    expect(asset.position?.evidence?.heard).toHaveLength(1)
  })

  test('switched off, nothing of it is left', () => {
    const asset = ways(start, RULES)
    expect(asset.position?.evidence?.heard).toHaveLength(2)
    const circumstances = {
      rules: DEFAULT_RULES,
      isDeleted: () => false,
      nowMs: 0,
      rowBefore: () => undefined,
    }
    expect(decide(asset.position, [heard(61, YARD, -90)], circumstances)).toMatchObject({
      evidence: null,
      rows: [{ locationId: YARD }],
      outvoted: [],
    })
  })
})

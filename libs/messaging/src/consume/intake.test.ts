import { expect, test } from 'vitest'
import { Intake } from './intake.ts'
import type { Source } from './source.ts'

const CAPACITY = 100
const MIB = 1024 * 1024
/** A source with the fields that decide about room. */
function source(held: number, heldBytes = 0): Source {
  const fields: Partial<Source> = { stream: 'SCANS', held, heldBytes, inherited: [], ask: () => undefined }
  return fields as Source
}

function filled(sources: readonly Source[]) {
  const intake = new Intake({ capacity: CAPACITY, capacityBytes: 32 * MIB })
  for (const each of sources) intake.add(each)
  return { intake, rooms: () => sources.map((each) => intake.room(each)) }
}

test('a single source has what is free', () => {
  for (const held of [0, 40, 100]) expect(filled([source(held)]).rooms()).toEqual([CAPACITY - held])
  expect(filled([source(1, 32 * MIB)]).rooms()).toEqual([0])
})

test('a source that fills the buffer leaves each of the others their share, and together they hold twice as much at most', () => {
  for (const others of [1, 3, 9]) {
    const share = CAPACITY / (others + 1)
    const all = [source(CAPACITY, 32 * MIB), ...Array.from({ length: others }, () => source(0))]
    const { intake, rooms } = filled(all)
    expect(rooms()).toEqual([0, ...Array.from({ length: others }, () => share)])
    expect(intake.leastRoom).toBe(share / 2)
    for (const each of all.slice(1)) each.held = share
    expect(Math.max(...rooms())).toBe(0)
  }
})

test('a source that is left gives its share to the others', () => {
  const all = [source(CAPACITY), source(0), source(0), source(0)]
  const { intake } = filled(all)
  for (const [i, share] of [25, 34, 50].entries()) {
    expect(intake.room(all[3]!)).toBe(share)
    if (i < 2) intake.remove(all[i + 1]!)
  }
})

import { describe, expect, test } from 'vitest'
import { lineOf, NUMBERS, numberOf, parentOf, partitionOf, partitionOfStream, streamOf, subjectsOf, withoutNumber } from './numbers.ts' // oxfmt-ignore

const COUNTS = [1, 2, 4, 8, 16, 32, 64]
const upTo = (count: number) => Array.from({ length: count }, (_, i) => i)

describe('numbers of organizations', () => {
  test('are spread over all partitions, ten thousand of them within a fifth', () => {
    for (const count of [2, 4, 16]) {
      const found = upTo(count).map(() => 0)
      for (let org = 1; org <= 10_000; org += 1) found[partitionOf(org, count)]! += 1
      for (const organizations of found) {
        expect(organizations).toBeGreaterThan((10_000 / count) * 0.8)
        expect(organizations).toBeLessThan((10_000 / count) * 1.2)
      }
    }
  })

  test.for(COUNTS)(
    'with %i partitions each number has one stream, and the first takes what has none',
    (count) => {
      const subjects = upTo(count).flatMap((partition) => subjectsOf(partition, count))
      expect(new Set(subjects).size).toBe(subjects.length)
      expect(subjects.filter((subject) => subject === 'scans.>')).toHaveLength(1)
      expect(subjectsOf(0, count)).toContain('scans.>')
      for (const org of [1, 7, 42, 99_999]) {
        const own = subjectsOf(partitionOf(org, count), count)
        expect(own.includes(`p.${numberOf(org)}.scans.>`) || own.includes('p.*.scans.>')).toBe(true)
      }
    },
  )

  test('a partition that is new when they double had its numbers in its parent', () => {
    for (const count of COUNTS.slice(1))
      for (const partition of upTo(count).filter((each) => each >= count / 2))
        for (const number of upTo(NUMBERS).filter((each) => each % count === partition))
          expect(number % (count / 2)).toBe(parentOf(partition))
    expect(lineOf(13)).toEqual([0, 1, 5, 13])
    expect(lineOf(0)).toEqual([0])
  })

  test('names of streams and subjects are read as they are written', () => {
    for (const partition of upTo(NUMBERS))
      expect(partitionOfStream('SCANS', streamOf('SCANS', partition))).toBe(partition)
    for (const name of ['SCANS_', 'SCANS_0', 'SCANS_01', 'SCANS_x', 'NO_SCANS', 'OVERFLOW', 'SCANS_100'])
      expect(partitionOfStream('SCANS', name)).toBeUndefined()
    expect(withoutNumber('p.12.scans.7.gate.canonical')).toBe('scans.7.gate.canonical')
    expect(withoutNumber('scans.7.p.canonical')).toBe('scans.7.p.canonical')
    expect(withoutNumber('placements.7')).toBe('placements.7')
  })
})

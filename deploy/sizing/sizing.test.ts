import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sizing, TYPICAL } from './sizing.ts'
import { bytes, sizingTable, threeDigits } from './table.ts'
import { UNIT_COSTS } from './unit-costs.ts'

const GUIDE = resolve(import.meta.dirname, '../../docs/scaling.md')
const columns = [10, 1_000, 100_000].map((organizations) => ({
  title: `${threeDigits(organizations)} organizations`,
  needs: sizing({ organizations, ...TYPICAL }),
}))

test('the table of docs/scaling.md is what the unit costs come to', () => {
  const table = sizingTable(columns)
  const guide = readFileSync(GUIDE, 'utf8')
  const between = /(<!-- sizing: begin[^\n]*-->\n)([\s\S]*?)(<!-- sizing: end -->)/
  if (process.env['UPDATE_README'] !== undefined)
    writeFileSync(
      GUIDE,
      guide.replace(between, (_all, begin, _old, end) => `${begin}\n${table}\n\n${end}`),
    )
  expect(between.exec(readFileSync(GUIDE, 'utf8'))?.[2]?.trim()).toBe(table)
})

describe('the arithmetic', () => {
  const one = sizing({ organizations: 1, ...TYPICAL })

  test('is linear in organizations, but for what a process takes by itself', () => {
    const many = sizing({ organizations: 1_000, ...TYPICAL })
    expect(many.cores.total).toBeCloseTo(1_000 * one.cores.total)
    expect(many.historyBytes).toBeCloseTo(1_000 * one.historyBytes)
    const own = UNIT_COSTS.processBytes
    expect(many.trackingBytes - own).toBeCloseTo(1_000 * (one.trackingBytes - own))
  })

  test('counts a day of one organization as one does by hand', () => {
    // 500 assets, 0.6 of them in a minute, 600 minutes: 180 000 rows of 260 bytes.
    expect(one.rowsPerDay).toBeCloseTo(180_000)
    expect(one.historyBytesPerDay).toBeCloseTo(46_800_000)
    // 5 readers, 100 reads a second, 4.3 µs each.
    expect(one.cores.reads).toBeCloseTo(0.00043)
    // 2 350 bytes a message, 5 a second, 36 000 seconds a day, three days.
    expect(one.scansBytes).toBeCloseTo(2_350 * 5 * 36_000 * 3)
  })

  test.for([
    [0, '0'],
    [0.00043, '0'],
    [0.0143, '0.014'],
    [2.5, '2.5'],
    [46.84, '46.8'],
    [1_364, '1 360'],
    [180_000_000, '180 000 000'],
  ] as const)('shows %d as %s', ([value, shown]) => expect(threeDigits(value)).toBe(shown))

  test.for([
    [999, '999 B'],
    [1_270_000_000_000, '1.27 TB'],
    [1_872e12, '1.87 PB'],
  ] as const)('shows %d bytes as %s', ([value, shown]) => expect(bytes(value)).toBe(shown))
})

import { expect, test } from 'vitest'
import { exportLabel } from './export-label.ts'

test.for([
  { total: 0, isFiltered: true, label: 'Export CSV' },
  { total: 1, isFiltered: true, label: 'Export 1 asset' },
  { total: 1, isFiltered: false, label: 'Export 1 asset' },
  { total: 2, isFiltered: true, label: 'Export these 2' },
  { total: 1_200, isFiltered: false, label: 'Export all 1,200' },
])('$label', ({ total, isFiltered, label }) => expect(exportLabel(total, isFiltered)).toBe(label))

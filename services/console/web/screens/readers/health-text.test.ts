import { expect, test } from 'vitest'
import { clockText } from './health-text.ts'

test.for([
  { offsetMs: null, want: '–' },
  { offsetMs: -140, want: 'in sync' },
  { offsetMs: 31_000, want: '31 s ahead' },
  { offsetMs: -7_500_000, want: '2 h 5 min behind' },
])('a clock off by $offsetMs ms', ({ offsetMs, want }) => expect(clockText(offsetMs)).toBe(want))

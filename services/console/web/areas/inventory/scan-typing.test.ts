import { expect, test } from 'vitest'
import { scanTyping } from './scan-typing.ts'

/** The result of the last key. `ms`: between two keys. */
function typed(keys: readonly string[], ms: number): string | undefined {
  const next = scanTyping()
  return keys.map((key, i) => next({ key, timeStamp: 1_000 + i * ms })).at(-1)
}

test.for([
  { name: 'a scan', keys: [...Array.from('E280-1160'), 'Enter'], ms: 5, scan: 'E280-1160' },
  { name: 'a scan with capitals', keys: ['Shift', 'B', 'Shift', 'O', 'x', '1', 'Tab'], ms: 20, scan: 'BOx1' },
  { name: 'text of a person', keys: [...Array.from('Bay A1'), 'Enter'], ms: 90, scan: undefined },
  { name: 'a few keys', keys: [...Array.from('Bay'), 'Enter'], ms: 5, scan: undefined },
  { name: 'a scan that nothing ends', keys: Array.from('E280-1160'), ms: 5, scan: undefined },
  {
    name: 'a choice with the arrow keys',
    keys: [...Array.from('Bay A1'), 'ArrowDown', 'Enter'],
    ms: 5,
    scan: undefined,
  },
])('$name', ({ keys, ms, scan }) => expect(typed(keys, ms)).toBe(scan))

test('text before a pause does not belong to the scan', () => {
  const next = scanTyping()
  for (const [i, key] of Array.from('Dock').entries()) next({ key, timeStamp: 1_000 + i * 5 })
  for (const [i, key] of Array.from('E280').entries()) next({ key, timeStamp: 2_000 + i * 5 })
  expect(next({ key: 'Enter', timeStamp: 2_020 })).toBe('E280')
})

import { expect, test } from 'vitest'
import { pageNote, table } from './report.ts'

test('columns line up in any alphabet', () => {
  const rows = [
    ['ID', 'NAME', 'ENDS'],
    ['1', 'Łódź 📦', 'never'],
    ['22', 'A', ''],
  ]
  expect(table(rows)).toBe('ID  NAME    ENDS\n1   Łódź 📦  never\n22  A')
})

test('a name can neither move the cursor nor break or turn its line', () => {
  expect(table([['a\u009B2Jb\u001B[31m\nc\u202Ed\u2028e']])).toBe('a\uFFFD2Jb\uFFFD[31m\uFFFDc\uFFFDd\uFFFDe')
})

test('a page names the rows it leaves out', () => {
  expect(pageNote({ offset: 0, total_count: 3 }, 3)).toBe('')
  expect(pageNote({ offset: 100, total_count: 300 }, 100)).toContain('Rows 101 to 200 of 300')
  expect(pageNote({ offset: 900, total_count: 300 }, 0)).toContain('No rows here of 300')
})

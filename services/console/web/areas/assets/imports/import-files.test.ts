import { expect, test, vi } from 'vitest'
import { COLUMNS, EXAMPLES, MAX_BYTES, percentOf, problemOf, RESOURCES } from './import-files.ts'

// The fields import inputs, which import the API client, which reads the address of the page.
vi.hoisted(() => vi.stubGlobal('location', { origin: 'https://console.test' }))

test.for(RESOURCES)(
  'each row of the example of $value has a cell for each of its known columns',
  ({ value }) => {
    const [head = '', ...rows] = EXAMPLES[value].trimEnd().split('\r\n')
    const names = COLUMNS[value].map(({ name }) => name)
    for (const name of head.split(',')) expect(names).toContain(name)
    // Commas in quotes do not separate cells.
    const cells = (row: string) => row.replaceAll(/"(?:[^"]|"")*"/g, 'quoted').split(',').length
    for (const row of rows) expect(cells(row)).toBe(head.split(',').length)
  },
)

test.for([
  [0, /empty/],
  [MAX_BYTES + 1, /larger than/],
] as const)('a file of %i bytes is not uploaded', ([size, problem]) => {
  expect(problemOf({ size })).toMatch(problem)
})

test('a file of the maximum size is uploaded', () => {
  expect(problemOf({ size: MAX_BYTES })).toBeUndefined()
})

test.for([
  [0, 0, 100],
  [0, 10, 0],
  [999, 1_000, 99],
  [1_000, 1_000, 100],
])('%i of %i rows are %i percent', ([done = 0, total = 0, percent]) => {
  expect(percentOf({ rows_done: done, rows_total: total })).toBe(percent)
})

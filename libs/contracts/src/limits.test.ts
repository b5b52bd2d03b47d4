import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { limits } from './limits.ts'
import { storageLimits } from './resources/keys/storage-limits.ts'

const page = readFileSync(new URL('../../../docs/limits.md', import.meta.url), 'utf8')

test.for(Object.values(limits))('docs/limits.md states $rows', ({ rows, ...limit }) => {
  const values = rows.map((row) => new RegExp(`^\\| ${row} +\\|([^|]*)`, 'm').exec(page)?.[1])
  const numbers = values.flatMap((value) => value?.match(/\d[\d ]*(?<=\d)/g) ?? [])
  for (const max of Object.values(limit))
    expect(numbers.map((text) => Number(text.replaceAll(' ', '')))).toContain(max)
})

test.for(storageLimits)('docs/limits.md states %s', (name) => {
  expect(page).toMatch(new RegExp(`^\\| \`${name}\` +\\|`, 'm'))
})

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SOURCES = join(import.meta.dirname, '../..')

/** A writer that queued a state by itself would have no event. */
test('D13.1 only the messages of changes, and a republish, name the states', () => {
  const files = globSync('**/*.ts', { cwd: SOURCES }).filter((file) => !file.endsWith('.test.ts'))
  const naming = files.filter((file) => /\b(asset|location|tag)State\b/.test(readFileSync(join(SOURCES, file), 'utf8'))) // oxfmt-ignore
  expect(naming.toSorted()).toEqual(['changes/messages/changes.ts', 'republish/states.ts'])
})

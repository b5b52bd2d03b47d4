import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SOURCES = join(import.meta.dirname, '../..')

const files = globSync('**/*.ts', { cwd: SOURCES }).filter((file) => !file.endsWith('.test.ts'))
const filesWith = (words: RegExp) =>
  files.filter((file) => words.test(readFileSync(join(SOURCES, file), 'utf8'))).toSorted()

/** A writer that queued a state by itself would have no event. */
test('D13.1 only the messages of changes, and a republish, name the states', () => {
  expect(filesWith(/\b(asset|location|tag)State\b/)).toEqual([
    'changes/messages/changes.ts',
    'republish/states.ts',
    'responders/erasures/erasures.responder.ts', // of a deleted organization, whose changes nobody follows
  ])
})

/** A writer that used another way would leave out what a location is in. */
test('ADR 105 changes are queued in one way', () => {
  expect(filesWith(/\benqueueAll\(/)).toEqual(['changes/messages/enqueue-changes.ts'])
})

import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { versionProblems } from './versions.ts'

test('every file that repeats the version has the one of package.json', () => {
  expect(versionProblems(resolve(import.meta.dirname, '../../..'))).toEqual([])
})

import { configTables } from '@whereabouts/testing/config-table'
import { expect, test } from 'vitest'
import { Config } from './config.ts'

test('the README documents every variable', () => {
  const { documented, actual } = configTables(new URL('../README.md', import.meta.url), Config)
  expect(documented).toBe(actual)
})

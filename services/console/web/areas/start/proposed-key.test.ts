import { expect, test } from 'vitest'
import { proposedKey } from './proposed-key.ts'

test.for([
  ['Dock 1', 'dock-1-reader'],
  ['Große Halle (Süd)', 'gro-e-halle-sud-reader'],
  ['倉庫', 'reader-1'],
  ['x'.repeat(255), `${'x'.repeat(50)}-reader`],
] as const)('the key for a reader at %s is %s', ([name, key]) => expect(proposedKey(name)).toBe(key))

import { storageLimits } from '@whereabouts/contracts/resources/keys/storage-limits'
import { expect, test } from 'vitest'
import { adviceOf, labelOf } from '../services/console/web/parts/load/limits.ts'

// Only responses have these names, so the types of the console cannot ask for words: a newer API may have more.
test.for([...storageLimits])('the console has words of its own for the limit %s', (name) => {
  const limit = { name, used: 1, limit: 1 }
  expect(labelOf(limit)).not.toBe(name.replaceAll('_', ' '))
  expect(adviceOf(limit)).not.toContain('Delete what you no longer need')
})

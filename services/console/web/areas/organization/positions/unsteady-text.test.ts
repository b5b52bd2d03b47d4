import { expect, test } from 'vitest'
import { unsteadyText } from './unsteady-text.ts'

const row = {
  asset: { id: 1, external_key: 'ASSET-1', name: 'Forklift' },
  reason: 'flapping',
  locations: [
    { id: 2, external_key: 'DOCK', name: 'Dock' },
    { id: 3, external_key: null, name: null },
  ],
  movements: 12,
  last_at: '2026-11-21T10:00:00.000Z',
  setting: {},
}

test('says what happened, also at a location that was deleted', () => {
  expect(unsteadyText(row)).toBe('Moved between Dock and a deleted location 12 times in 24 hours.')
  expect(unsteadyText({ ...row, reason: 'waiting' })).toBe(
    'Shown at Dock, but last read at a deleted location.',
  )
})

import { expect, test } from 'vitest'
import { bodyOf, changesOf, NEW_WEBHOOK } from './webhook-settings.ts'

const dock = { id: 7, name: 'Dock', external_key: 'DOCK' }

test('a filter without a condition is none, and only what was changed is sent', () => {
  expect(bodyOf({ ...NEW_WEBHOOK, url: ' https://example.com/a ' })).toEqual({
    url: 'https://example.com/a',
    event_types: ['asset.moved'],
    retry: 'standard',
    filter: null,
  })
  expect(changesOf(NEW_WEBHOOK, { ...NEW_WEBHOOK })).toEqual({})
  expect(changesOf(NEW_WEBHOOK, { ...NEW_WEBHOOK, locations: [dock], includesInside: false })).toEqual({
    filter: { asset_types: [], location_ids: [7], include_descendants: false },
  })
  const filtered = { ...NEW_WEBHOOK, assetTypes: ['person'], types: ['asset.moved', 'thing.new'] }
  expect(changesOf(filtered, { ...filtered, assetTypes: [], retry: 'extended' })).toEqual({
    retry: 'extended',
    filter: null,
  })
})

import { expect, test } from 'vitest'
import { upstreamPath } from './upstream-path.ts'

test.for([
  ['5', '/api/v1/assets/5/history'],
  ['..', '/api/v1/assets/%252E%252E/history'],
  ['../../../internal', '/api/v1/assets/%252E%252E%2F%252E%252E%2F%252E%252E%2Finternal/history'],
  ['5?x=1#y', '/api/v1/assets/5%3Fx%3D1%23y/history'],
  ['\u0000', '/api/v1/assets/%00/history'],
  ['ä', '/api/v1/assets/%C3%A4/history'],
] as const)('the parameter %j stays one segment, however the path is normalised', ([value, expected]) => {
  const path = upstreamPath('/api/v1/assets/{asset_id}/history', { asset_id: value })
  expect(path).toBe(expected)
  expect(new URL(path, 'http://service').pathname).toBe(expected)
})

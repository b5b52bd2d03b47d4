import { expect, test } from 'vitest'
import { upstreamPath } from './upstream-path.ts'

test.for([
  ['/api/v1/assets/5', '/api/v1/assets/5'],
  ['/api/v1/assets/5?a=1', '/api/v1/assets/5'],
  ['/api/v1/assets/5#/../x', '/api/v1/assets/5'],
  ['http://host:1/api/v1/assets/5', '/api/v1/assets/5'],
  ['/%61pi/v1/assets/%35', '/api/v1/assets/5'],
  ['/api/v1/assets/%2e%2E%2fx', '/api/v1/assets/%252E%252E%2Fx'],
  ['/api/v1/assets/..', '/api/v1/assets/%252E%252E'],
  ['/api/v1/exports/5/files/history-2026-11-21.csv.gz', '/api/v1/exports/5/files/history-2026-11-21.csv.gz'],
  ['/api/v1/exports/5/files/%2e%2e.csv', '/api/v1/exports/5/files/%252E%252E%252Ecsv'],
  ['/api/v1/exports/5/files/a..gz', '/api/v1/exports/5/files/a%252E%252Egz'],
  ['/api/v1/exports/5/files/.gz', '/api/v1/exports/5/files/%252Egz'],
  ['/api/v1/assets/%3Fx=1%23', '/api/v1/assets/%3Fx%3D1%23'],
  ['/api/v1/assets/5;v=1', '/api/v1/assets/5%3Bv%3D1'],
  ['/api/v1/assets/%C3%A9', '/api/v1/assets/%C3%A9'],
] as const)('%s becomes %s', ([url, path]) => {
  expect(upstreamPath(url)).toBe(path)
  expect(new URL(path, 'http://service').pathname).toBe(path)
})

import { MAX_IMPORT_BYTES } from '@whereabouts/contracts/resources/catalog/imports'
import { finishedImport, sendFile } from '../support/imports.ts'
import type { Given, Scenario } from './scenario.ts'

const SLOW =
  'several exports of a user must be on their way: transfers.int.test.ts of catalog reads them slowly'

const call = { query: { resource: 'assets' } }

const finished = async ({ api, org }: Given, dryRun = true) => ({
  params: { import_id: (await finishedImport(api, org.admin, 'assets', 'name\nForklift\n', dryRun)).id },
})

export const importScenarios: Record<string, Scenario> = {
  createImport: {
    201: () => ({ ...call, body: 'name\nForklift\n' }),
    400: () => ({ ...call, body: '' }),
    429: 'three imports of a user must be unfinished at a time: imports.test.ts holds their files back',
    413: () => ({ ...call, body: Buffer.alloc(MAX_IMPORT_BYTES + 1, 'x') }),
    415: () => ({ ...call, body: '{}', headers: { 'content-type': 'application/json' } }),
  },
  listImports: { 200: () => ({}) },
  getImport: { 200: finished },
  listImportRows: { 200: finished },
  exportFailedImportRows: { 200: finished, 429: SLOW },
  applyImport: {
    201: finished,
    409: (given) => finished(given, false),
    429: 'three imports of a user must be unfinished at a time: imports.test.ts holds their files back',
  },
  deleteImport: {
    204: async ({ api, org }) => ({
      params: { import_id: (await sendFile(api, org.admin, 'assets', 'name\nForklift\n', true)).id },
    }),
  },
  exportAssets: { 200: () => ({}), 429: SLOW },
  exportLocations: { 200: () => ({}), 429: SLOW },
}

import { finishedExport, linkOf } from '../support/exports.ts'
import { newAsset, type Given, type Scenario } from './scenario.ts'

const ASSETS = { dataset: 'assets', format: 'csv' } as const

const done = async ({ api, org }: Given) => ({
  params: { export_id: (await finishedExport(api, org.admin, ASSETS)).id },
})

async function file(given: Given) {
  await newAsset(given)
  const { files } = await finishedExport(given.api, given.org.admin, ASSETS)
  return linkOf(files[0]?.url ?? '')
}

export const exportScenarios: Record<string, Scenario> = {
  createExport: { 202: () => ({ body: ASSETS }) },
  listExports: { 200: () => ({}) },
  getExport: { 200: done },
  deleteExport: { 204: done },
  downloadExportFile: {
    200: file,
    400: async (given) => ({ ...(await file(given)), query: { colour: 'red' } }),
    304: async (given) => ({ ...(await file(given)), headers: { 'if-none-match': '*' } }),
    416: async (given) => ({ ...(await file(given)), headers: { range: 'bytes=99999999-' } }),
    429: 'many slow downloads of one organization: files.int.test.ts of tracking begins them',
  },
}

import type {
  ImportResource,
  ImportRowView,
  ImportView,
} from '@whereabouts/contracts/resources/catalog/imports'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { expect } from 'vitest'
import { startImportWorker, type ImportWorker } from '../src/bulk/imports/imports.loop.ts'
import { test as base, type Catalog } from './catalog.fixture.ts'

type As = { org?: number }

export type Imports = {
  /** Sends a file. Throws unless it is accepted. */
  send(resource: ImportResource, csv: string, options?: As & { dryRun?: boolean }): Promise<ImportView>
  /** Waits until the import has finished. */
  finished(id: number, as?: As): Promise<ImportView>
  /** The outcomes of all rows. */
  rows(id: number, as?: As): Promise<ImportRowView[]>
  /** Sends a file, waits, and returns the import with its rows. */
  run(
    resource: ImportResource,
    csv: string,
    options?: As & { dryRun?: boolean },
  ): Promise<ImportView & { rows: ImportRowView[] }>
}

/** `imports`: with a running worker. `files`: without one, for tests that start their own. */
export const test = base.extend<{
  batchRows: number
  worker: ImportWorker
  files: Imports
  imports: Imports
  /** URL of the service on a real socket. */
  address: string
}>({
  address: [
    async ({ service: { app } }, use) => use(await app.listen({ host: '127.0.0.1', port: 0 })),
    { scope: 'file' },
  ],
  batchRows: [250, { scope: 'file' }],
  worker: async ({ service: { database, tenants }, batchRows }, use) => {
    const worker = startImportWorker({
      across: database.worker.db,
      tenants,
      wakeOutbox: () => undefined,
      log: createLogger('imports', 'silent'),
      maxQueued: 1_000_000, // no relay empties the outbox
      pollMs: 20,
      batchRows,
    })
    await use(worker)
    await worker.stop()
  },
  files: async ({ catalog }, use) => use(importsOf(catalog)),
  imports: async ({ worker, files }, use) => {
    expect(worker).toBeDefined()
    await use(files)
  },
})

function importsOf(catalog: Catalog): Imports {
  const read = async (id: number, as?: As) =>
    (await catalog.get(`/imports/${id}`, as)).json<{ data: ImportView }>().data
  const imports: Imports = {
    async send(resource, csv, { dryRun = false, ...as } = {}) {
      const path = `/imports?resource=${resource}&dry_run=${dryRun}`
      const res = await catalog.call('POST', path, csv, { ...as, mediaType: 'text/csv' })
      if (res.statusCode !== 201) throw new Error(`POST ${path} answered ${res.statusCode}: ${res.body}`)
      return res.json<{ data: ImportView }>().data
    },
    async finished(id, as) {
      const at = async () => (await read(id, as)).finished_at
      await expect.poll(at, { timeout: 15_000, interval: 10 }).not.toBeNull()
      return read(id, as)
    },
    async rows(id, as) {
      const rows: ImportRowView[] = []
      for (;;) {
        const page = await catalog.get(`/imports/${id}/rows?limit=200&offset=${rows.length}`, as)
        const { data } = page.json<{ data: ImportRowView[] }>()
        if (data.length === 0) return rows
        rows.push(...data)
      }
    },
    async run(resource, csv, options) {
      const { id } = await imports.send(resource, csv, options)
      return { ...(await imports.finished(id, options)), rows: await imports.rows(id, options) }
    },
  }
  return imports
}

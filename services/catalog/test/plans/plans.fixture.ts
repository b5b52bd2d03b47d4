import { MERGE_PATCH_MEDIA_TYPE } from '@whereabouts/contracts/rules/echo'
import { JSON_MEDIA_TYPE } from '@whereabouts/contracts/route'
import { API_PREFIX, LEGACY_PREFIX } from '@whereabouts/contracts/routes'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { createRegistry } from '@whereabouts/service-kit/observe/metrics'
import { testCallers } from '@whereabouts/testing/caller'
import { deleteOldAnswers } from '@whereabouts/db/answers/answers-purge'
import type { ServiceDatabase } from '@whereabouts/testing/database/database'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { expect } from 'vitest'
import type { Tables } from '../../src/db.ts'
import { startImportWorker } from '../../src/bulk/imports/imports.loop.ts'
import { lookUp } from '../../src/responders/lookup/lookup.responder.ts'
import { wire } from '../../src/app.ts'
import { test as base } from '../catalog.fixture.ts'
import { TrackingStandIn } from '../tracking.fixture.ts'
import { scansOf, type Scan } from './explained.fixture.ts'
import { ORG_ID, populate } from './populated.fixture.ts'
import { Recorder, type Recorded } from './recorded.fixture.ts'
import { importRequests, requests, type Request } from './requests.fixture.ts'

/** `scans`: planned for its values. `genericScans`: for any values, like a prepared statement. */
export type Planned = Recorded & { scans: Scan[]; genericScans: Scan[] }

export type Plans = {
  /** The requests, with the status of their replies. */
  sent: { operation: string; path: string; status: number }[]
  /** All statements of the service during these requests. */
  planned: Planned[]
  /** Tables whose rows belong to organizations. */
  tables: ReadonlySet<string>
}

export const test = base.extend<{ plans: Plans }>({
  plans: [
    async ({ service: { database, tenants } }, use) => {
      await populate(database.db)
      const recorder = new Recorder()
      const db = recorder.tenants(tenants)
      const log = createLogger('catalog', 'silent')
      const across = recorder.across(database.worker.db)
      const worker = startImportWorker({ across, tenants: db, wakeOutbox: () => undefined, log, pollMs: 20 })
      const callers = testCallers()
      const { app } = wire({
        db,
        log,
        verify: callers.verify,
        registry: createRegistry('catalog'),
        tracking: new TrackingStandIn(),
        wakeOutbox: () => undefined,
        imports: { wake: () => worker.wake(), purge: () => undefined },
      })
      const sent = await sendEverything(app, await callers.headersFor({ orgId: ORG_ID }), recorder)
      recorder.during = 'lookup'
      await lookUp(db, LOOKUP)
      await deleteOldAnswers(across)
      await worker.stop()
      await app.close()
      const planned = await explainAll(database, recorder.recorded)
      await use({ sent, planned, tables: await tablesOfOrganizations(database) })
    },
    { scope: 'file' },
  ],
})

const LOOKUP = {
  org_id: ORG_ID,
  tags: [{ tag_type: 'rfid', value: 'NEW' }],
  asset_ids: [ORG_ID * 10_000 + 1_001],
  location_ids: [ORG_ID * 10_000 + 1],
  location_keys: ['LOC-007'],
}

async function sendEverything(
  app: FastifyInstance,
  headers: Record<string, string>,
  recorder: Recorder,
): Promise<Plans['sent']> {
  const sent: Plans['sent'] = []
  const send = async (operation: string, request: Request) => {
    const { method, path, body, vocabulary, mediaType } = request
    recorder.during = `${operation} ${path}`
    const type = mediaType ?? (method === 'PATCH' ? MERGE_PATCH_MEDIA_TYPE : JSON_MEDIA_TYPE)
    const response = await app.inject({
      method,
      url: `${vocabulary === 'legacy' ? LEGACY_PREFIX : API_PREFIX}${path}`,
      headers: { ...headers, 'content-type': type, ...request.headers },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    sent.push({ operation, path, status: response.statusCode })
    return response
  }
  for (const [operation, some] of Object.entries(requests()))
    for (const request of some) await send(operation, request)
  const { createImport, getImport, ...others } = importRequests()
  const { id } = (await send('createImport', createImport(0))).json<{ data: { id: number } }>().data
  for (const [operation, request] of Object.entries(others)) {
    const isFinished = async () => (await send('getImport', getImport(id))).body.includes('"finished_at":"')
    await expect.poll(isFinished, { timeout: 15_000 }).toBe(true)
    await send(operation, request(id))
  }
  return sent
}

/** Statements without a plan. */
const SAVEPOINT = /^\s*(?:release |rollback to )?savepoint /

async function explainAll(
  database: ServiceDatabase<Tables>,
  recorded: readonly Recorded[],
): Promise<Planned[]> {
  const planned: Planned[] = []
  for (const one of recorded.filter(({ text }) => !SAVEPOINT.test(text)))
    planned.push({
      ...one,
      scans: await scansOf(database, one),
      genericScans: await scansOf(database, one, true),
    })
  return planned
}

async function tablesOfOrganizations({ db }: ServiceDatabase<Tables>): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r'`.execute(db)
  return new Set(rows.map(({ name }) => name))
}

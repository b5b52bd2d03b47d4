import { routes, type OperationId } from '@whereabouts/contracts/routes'
import { openDatabase } from '@whereabouts/db/database'
import { plannerSettings } from '@whereabouts/db/planner'
import { urlAs } from '@whereabouts/db/service-roles'
import { ORG_SETTING } from '@whereabouts/db/tenant-database'
import { parsePairs } from '@whereabouts/service-kit/request-body'
import { parsePart } from '@whereabouts/service-kit/validate'
import { PostgresQueryCompiler, type Kysely } from 'kysely'
import type { Tables } from '../../db.ts'
import { CatalogView } from '../../projections/catalog-view.ts'
import { reportHandlers } from '../asset-locations/asset-locations.handlers.ts'
import { currentLocationsHandlers } from '../current-locations/current-locations.handlers.ts'
import { movementSummaryHandlers } from '../movement-summary/movement-summary.handlers.ts'
import { occupancyHandlers } from '../occupancy/occupancy.handlers.ts'

/** Reports that can be explained, and their operations. */
export const reports = {
  'asset-locations': 'listAssetLocations',
  'current-locations': 'listCurrentLocations',
  occupancy: 'listOccupancy',
  'movement-summary': 'summarizeMovements',
} as const satisfies Record<string, OperationId>

export type ExplainRequest = {
  report: keyof typeof reports
  orgId: number
  /** The query of a URL, without `?`. */
  query: string
  /** Also run each statement and show its times and buffers. */
  isAnalyzed: boolean
}

/**
 * Serves the request once, as the service does, then explains each statement of it. `url` logs in as the owner of the
 * schema. Throws AppError for a query that the operation refuses.
 */
export async function explainReport(url: string, request: ExplainRequest): Promise<string> {
  const settings = { ...plannerSettings, [ORG_SETTING]: String(request.orgId) }
  const database = openDatabase<Tables>(urlAs('tenant', url), { max: 1, name: 'tracking explain', settings })
  try {
    const sent: Statement[] = []
    const view = await viewOfLocations(database.db, request.orgId)
    await serveReport(recordStatements(database.db, sent), view, request)
    const plans = []
    for (const { text, values } of sent) {
      const explain = `explain (${request.isAnalyzed ? 'analyze, buffers' : 'costs'}) ${text}`
      const { rows } = await database.pool.query<{ 'QUERY PLAN': string }>({
        text: explain,
        values: [...values],
      })
      const parameters = values.map((value, i) => `$${i + 1} = ${JSON.stringify(value)}`)
      plans.push([text.trim(), ...parameters, '', ...rows.map((row) => row['QUERY PLAN'])].join('\n'))
    }
    return plans.join('\n\n')
  } finally {
    await database.close()
  }
}

async function serveReport(db: Kysely<Tables>, view: CatalogView, { report, orgId, query }: ExplainRequest) {
  const connection = { forOrg: () => db }
  const deps = { db: connection, longReads: connection, view, retentionDays: Number.POSITIVE_INFINITY }
  const handlers = {
    ...reportHandlers(deps),
    ...currentLocationsHandlers(deps),
    ...occupancyHandlers(deps),
    ...movementSummaryHandlers(deps),
  }
  const parsed = parsePart(routes[reports[report]].query, parsePairs(query) ?? {}, 'query')
  const handler = handlers[reports[report]] as (context: object) => Promise<unknown>
  await handler({ principal: { orgId }, query: parsed })
}

/** A view with the keys of locations, without the tree, which only a running service has. */
async function viewOfLocations(db: Kysely<Tables>, orgId: number): Promise<CatalogView> {
  const view = new CatalogView()
  const rows = await db.selectFrom('location').selectAll().where('org_id', '=', orgId).execute()
  const unused = {
    description: null,
    is_active: true,
    valid_from: '',
    valid_to: null,
    created_at: '',
    updated_at: '',
  }
  for (const row of rows) view.applyLocation({ ...unused, ...row, parent_id: null })
  return view
}

export type Statement = { text: string; values: readonly unknown[] }

/** `db`, with each statement that is sent through it appended to `sent`. */
export function recordStatements<T>(db: Kysely<T>, sent: Statement[]): Kysely<T> {
  return db.withPlugin({
    transformQuery: ({ node, queryId }) => {
      const { sql: text, parameters: values } = new PostgresQueryCompiler().compileQuery(node, queryId)
      sent.push({ text, values })
      return node
    },
    transformResult: async ({ result }) => result,
  })
}

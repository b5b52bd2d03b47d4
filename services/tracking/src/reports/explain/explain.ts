import { routes, type OperationId } from '@whereabouts/contracts/routes'
import { openDatabase } from '@whereabouts/db/database'
import { urlAs } from '@whereabouts/db/service-roles'
import { ORG_SETTING, type TenantDatabase } from '@whereabouts/db/tenant-database'
import { createLogger } from '@whereabouts/service-kit/logging'
import { parsePairs } from '@whereabouts/service-kit/request-body'
import { parsePart } from '@whereabouts/service-kit/validate'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../../db.ts'
import { plannerSettings } from '@whereabouts/db/planner'
import { CatalogView } from '../../projections/catalog-view.ts'
import { reportHandlers } from '../asset-locations/asset-locations.handlers.ts'
import { currentLocationsHandlers } from '../current-locations/current-locations.handlers.ts'
import type { ReportDeps } from '../deps.ts'
import { movementSummaryHandlers } from '../movement-summary/movement-summary.handlers.ts'
import { occupancyHandlers } from '../occupancy/occupancy.handlers.ts'
import { recordStatements, type Statement } from './record-statements.ts'

/** Reports that can be explained, and their operations. */
export const reports = {
  'asset-locations': 'listAssetLocations',
  'current-locations': 'listCurrentLocations',
  occupancy: 'listOccupancy',
  'movement-summary': 'summarizeMovements',
} as const satisfies Record<string, OperationId>

export type ReportName = keyof typeof reports

export type ExplainRequest = {
  report: ReportName
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
    const strategies = await serveReport(recordStatements(database.db, sent), view, request)
    const plans = []
    for (const statement of sent) plans.push(await explain(database.pool, statement, request.isAnalyzed))
    return [...strategies.map((strategy) => `strategy: ${strategy}`), ...plans].join('\n\n')
  } finally {
    await database.close()
  }
}

/** The strategies of the request: one for asset locations, none for the other reports. */
async function serveReport(
  db: Kysely<Tables>,
  view: CatalogView,
  { report, orgId, query }: ExplainRequest,
): Promise<string[]> {
  const strategies: string[] = []
  const connection = ofOrganization(db)
  const deps: ReportDeps = {
    db: connection,
    longReads: connection,
    view,
    retentionDays: Number.POSITIVE_INFINITY,
    recordStrategy: (_log, strategy) => strategies.push(strategy),
  }
  const handlers = {
    ...reportHandlers(deps),
    ...currentLocationsHandlers(deps),
    ...occupancyHandlers(deps),
    ...movementSummaryHandlers(deps),
  }
  const operation = reports[report]
  const parsed = parsePart(routes[operation].query, parsePairs(query) ?? {}, 'query')
  const handler = handlers[operation] as (context: object) => Promise<unknown>
  await handler({ principal: { orgId }, query: parsed, log: createLogger('explain', 'silent') })
  return strategies
}

const ofOrganization = (db: Kysely<Tables>): TenantDatabase<Tables> => ({
  load: () => ({ inUse: 0, idle: 1, waiting: 0, max: 1 }),
  forOrg: () => db,
  transaction: (_orgId, work) => db.transaction().execute(work),
  close: async () => undefined,
})

/**
 * A view with the keys of locations, without the tree, which only a running service has: `include_descendants` finds
 * no sub-locations.
 */
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

async function explain(pool: pg.Pool, { text, values }: Statement, isAnalyzed: boolean): Promise<string> {
  const options = isAnalyzed ? 'analyze, buffers' : 'costs'
  const { rows } = await pool.query<{ 'QUERY PLAN': string }>({
    text: `explain (${options}) ${text}`,
    values: [...values],
  })
  const parameters = values.map((value, i) => `$${i + 1} = ${JSON.stringify(value)}`)
  return [text.trim(), ...parameters, '', ...rows.map((row) => row['QUERY PLAN'])].join('\n')
}

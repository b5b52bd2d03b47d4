import type { ServiceDatabase } from '@whereabouts/testing/database/database'
import type { Tables } from '../../src/db.ts'
import type { Recorded } from './recorded.fixture.ts'

/** A node of a plan that reads a table. */
export type Scan = { type: string; table: string; index: string | undefined }

type PlanNode = {
  'Node Type': string
  'Relation Name'?: string
  'Index Name'?: string
  Plans?: PlanNode[]
}

/** The role that serves requests (libs/testing). */
const TENANT = 'test_catalog_tenant'

/**
 * The scans in the plan of a statement, as the role and organization that sent it. `generic`: the plan of a prepared
 * statement, for any values.
 */
export async function scansOf(
  { pool }: ServiceDatabase<Tables>,
  { text, values, orgId }: Recorded,
  generic = false,
): Promise<Scan[]> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    if (orgId !== undefined) {
      await client.query(`set local role ${TENANT}`)
      await client.query(`select set_config('whereabouts.org_id', $1, true)`, [orgId])
    }
    const options = generic ? 'generic_plan, format json' : 'format json'
    const explain = `explain (${options}) ${text}`
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
      generic ? explain : { text: explain, values: [...values] },
    )
    return scansBelow(rows[0]!['QUERY PLAN'][0].Plan, undefined)
  } finally {
    await client.query('rollback')
    client.release()
  }
}

/** A bitmap scan names its index in a node below the one that reads the table. */
function scansBelow(node: PlanNode, table: string | undefined): Scan[] {
  const relation = node['Relation Name'] ?? table
  const own =
    relation !== undefined && node['Node Type'].endsWith('Scan')
      ? [{ type: node['Node Type'], table: relation, index: node['Index Name'] }]
      : []
  return [...own, ...(node.Plans ?? []).flatMap((below) => scansBelow(below, relation))]
}

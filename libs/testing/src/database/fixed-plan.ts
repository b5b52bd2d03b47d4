import type pg from 'pg'

type Asked = {
  /** The role of requests. */
  role: string
  orgId: number
  text: string
  values: readonly unknown[]
}

/** How many buffers a statement reads under the one plan that is made for all values (`fixedPlan`). */
export async function buffersOfFixedPlan(
  pool: pg.Pool,
  { role, orgId, text, values }: Asked,
): Promise<number> {
  const client = await pool.connect()
  try {
    await client.query(`begin; set local role ${role}; set local plan_cache_mode = force_generic_plan`)
    await client.query(`select set_config('whereabouts.org_id', $1, true)`, [orgId])
    await client.query(`prepare page as ${text}`)
    const literals = values.map((value) => client.escapeLiteral(String(value))).join(', ')
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number } }] }>(
      `explain (analyze, buffers, format json) execute page(${literals})`,
    )
    const [{ 'QUERY PLAN': plans } = { 'QUERY PLAN': undefined }] = rows
    return plans?.[0].Plan['Shared Hit Blocks'] ?? Number.NaN
  } finally {
    await client.query('rollback; deallocate all')
    client.release()
  }
}

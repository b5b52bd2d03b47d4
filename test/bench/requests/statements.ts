import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import { asAdministrator } from '../load/database.ts'
import { table } from '../load/figures.ts'

/** Restarts PostgreSQL with its statistics of statements. */
export async function recordStatements(stack: Stack): Promise<void> {
  await asAdministrator(stack, async (client) => {
    const { rows } = await client.query(
      `select from pg_available_extensions where name = 'pg_stat_statements'`,
    )
    if (rows.length === 0)
      throw new Error('--statements needs pg_stat_statements, which this PostgreSQL lacks')
    await client.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`)
    await client.query('alter system set pg_stat_statements.track_planning = on')
  })
  await stack.postgres.stop()
  await stack.postgres.startAgain()
  await Promise.all(Object.values(stack.services).map((service) => service.waitReady()))
  await asAdministrator(stack, (client) => client.query('create extension pg_stat_statements'))
}

type Statement = { role: string; query: string; calls: string; mean: number; planning: number }

/** Runs `work`, which resolves with its number of requests, and lists the statements that took most time meanwhile. */
export async function statementsOf(stack: Stack, work: () => Promise<number>): Promise<string> {
  await asAdministrator(stack, (client) => client.query('select pg_stat_statements_reset()'))
  const requests = await work()
  const { rows } = await asAdministrator(stack, (client) => client.query<Statement>(SLOWEST))
  const lines = rows.map(({ role, query, calls, mean, planning }) => [
    `${role}: ${query.replaceAll(/\s+/g, ' ')}`.slice(0, 110),
    (Number(calls) / requests).toFixed(2),
    mean.toFixed(0),
    planning.toFixed(0),
    ((Number(calls) * (mean + planning)) / requests).toFixed(0),
  ])
  return table([['', 'calls/request', 'mean µs', 'planning µs', 'µs/request'], ...lines])
}

/** Of the services; times of one call in microseconds. */
const SLOWEST = `
  select rolname as role, query, calls, mean_exec_time * 1000 as mean, total_plan_time * 1000 / calls as planning
  from pg_stat_statements s join pg_roles r on r.oid = s.userid
  where not rolsuper and calls > 0
  order by total_exec_time + total_plan_time desc limit 20`

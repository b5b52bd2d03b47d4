import { Gauge, type Registry } from '@whereabouts/service-kit/observe/metrics'
import type { PoolLoad } from './database.ts'

type Pools = Readonly<Record<string, { load(): PoolLoad }>>

/** Exposes the current use of the pools of a process, by their names. */
export function measurePools(registry: Registry, pools: Pools): void {
  const gauge = (name: string, help: string, set: (gauge: Gauge, pool: string, load: PoolLoad) => void) => {
    const made: Gauge = new Gauge({
      name,
      help,
      labelNames: name === 'database_connections' ? ['pool', 'state'] : ['pool'],
      registers: [],
      collect: () => {
        for (const [pool, opened] of Object.entries(pools)) set(made, pool, opened.load())
      },
    })
    registry.registerMetric(made)
  }
  gauge(
    'database_connections',
    'Connections to PostgreSQL, by pool and state.',
    (made, pool, { inUse, idle }) => {
      made.set({ pool, state: 'in_use' }, inUse)
      made.set({ pool, state: 'idle' }, idle)
    },
  )
  gauge('database_connections_max', 'Largest number of connections of a pool.', (made, pool, { max }) =>
    made.set({ pool }, max),
  )
  gauge(
    'database_waiting',
    'Statements that wait for a connection of their pool.',
    (made, pool, { waiting }) => made.set({ pool }, waiting),
  )
}

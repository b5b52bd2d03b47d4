import { gauge, type Registry } from '@whereabouts/service-kit/observe/metrics'
import type { PoolLoad } from './database.ts'

type Pools = Readonly<Record<string, { load(): PoolLoad }>>

/** Exposes the current use of the pools of a process, by their names. */
export function measurePools(registry: Registry, pools: Pools): void {
  const ofPools = (name: string, help: string, read: (load: PoolLoad) => Record<string, number>) => {
    const labelNames = name === 'database_connections' ? ['pool', 'state'] : ['pool']
    const values = () =>
      Object.entries(pools).flatMap(([pool, opened]) =>
        Object.entries(read(opened.load())).map(([state, value]) => ({
          labels: labelNames.length > 1 ? { pool, state } : { pool },
          value,
        })),
      )
    gauge(registry, name, help, values, labelNames)
  }
  ofPools('database_connections', 'Connections to PostgreSQL, by pool and state.', ({ inUse, idle }) => ({
    in_use: inUse,
    idle,
  }))
  ofPools('database_connections_max', 'Largest number of connections of a pool.', ({ max }) => ({ max }))
  ofPools('database_waiting', 'Statements that wait for a connection of their pool.', ({ waiting }) => ({
    waiting,
  }))
}

import { counter, gauge, type Registry } from '@whereabouts/service-kit/observe/metrics'

export const liveMetrics = (registry: Registry) => ({
  slow: counter(
    registry,
    'live_slow_clients_total',
    'Live streams that were ended because their client did not keep up.',
  ),
  displaced: counter(
    registry,
    'live_displaced_total',
    'Live streams that were ended to make room for another client.',
  ),
  resets: counter(registry, 'live_resets_total', 'Clients of the live feed that had to reload.'),
})

export type LiveMetrics = ReturnType<typeof liveMetrics>

export const liveConnectionsGauge = (registry: Registry, size: () => number): void =>
  gauge(registry, 'live_connections', 'Open live streams of this process.', size)

import { Counter, Gauge, type Registry } from '@whereabouts/service-kit/observe/metrics'

export function liveMetrics(registry: Registry) {
  const registers = [registry]
  return {
    slow: new Counter({
      name: 'live_slow_clients_total',
      help: 'Live streams that were ended because their client did not keep up.',
      registers,
    }),
    displaced: new Counter({
      name: 'live_displaced_total',
      help: 'Live streams that were ended to make room for another client.',
      registers,
    }),
    resets: new Counter({
      name: 'live_resets_total',
      help: 'Clients of the live feed that had to reload.',
      registers,
    }),
  }
}

export type LiveMetrics = ReturnType<typeof liveMetrics>

export function liveConnectionsGauge(registry: Registry, size: () => number): void {
  const gauge: Gauge = new Gauge({
    name: 'live_connections',
    help: 'Open live streams of this process.',
    registers: [],
    collect: () => gauge.set(size()),
  })
  registry.registerMetric(gauge)
}

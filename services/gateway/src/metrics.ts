import { Counter, fromZero, Gauge, Histogram, type Registry } from '@whereabouts/service-kit/observe/metrics'

const UPSTREAMS = ['catalog', 'tracking', 'keys', 'webhook-dispatcher', 'console']

/** Metrics of the gateway. The server kit measures the requests. */
export function gatewayMetrics(registry: Registry) {
  const registers = [registry]
  const decisions = new Counter({
    name: 'gateway_rate_limit_decisions_total',
    help: 'Rate-limit tokens taken or refused, by where this was decided. `local`: the database was unreachable.',
    labelNames: ['source', 'outcome'],
    registers,
  })
  const lookups = new Counter({
    name: 'gateway_key_lookups_total',
    help: 'Lookups of API keys and members, by source: the view of the KEYS stream, or a request to the keys service.',
    labelNames: ['source'],
    registers,
  })
  const failures = new Counter({
    name: 'gateway_upstream_failures_total',
    help: 'Requests that a service failed to answer within the contract, by service and reason.',
    labelNames: ['upstream', 'reason'],
    registers,
  })
  const revocations = new Histogram({
    name: 'gateway_revocation_delay_seconds',
    help: 'Time from the revocation of an API key until this gateway refused it.',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 30],
    registers,
  })
  return {
    decisions: fromZero(decisions, { source: ['shared', 'memory', 'local'], outcome: ['taken', 'refused'] }),
    lookups: fromZero(lookups, { source: ['view', 'service'] }),
    failures: fromZero(failures, {
      upstream: UPSTREAMS,
      reason: ['unreachable', 'timeout', 'invalid_response'],
    }),
    revocations,
    places: placeMetrics(registry),
  }
}

type Measured = { sizes(): { running: number; waiting: number } }

/** The gates in front of the services. Each mount has its own; a service's are added up. */
function placeMetrics(registry: Registry) {
  const gates: { upstream: string; gate: Measured }[] = []
  const gauge: Gauge = new Gauge({
    name: 'gateway_upstream_requests',
    help: 'Requests that have a place at a service, and requests that wait for one.',
    labelNames: ['upstream', 'state'],
    registers: [],
    collect: () => {
      for (const upstream of UPSTREAMS)
        for (const state of ['running', 'waiting']) gauge.set({ upstream, state }, 0)
      for (const { upstream, gate } of gates)
        for (const [state, count] of Object.entries(gate.sizes())) gauge.inc({ upstream, state }, count)
    },
  })
  registry.registerMetric(gauge)
  const refusals = new Counter({
    name: 'gateway_upstream_refusals_total',
    help: 'Requests refused because too many waited for a place at a service, or for too long.',
    labelNames: ['upstream'],
    registers: [registry],
  })
  fromZero(refusals, { upstream: UPSTREAMS })
  return {
    measure: (upstream: string, gate: Measured) => void gates.push({ upstream, gate }),
    refused: (upstream: string) => refusals.inc({ upstream }),
  }
}

export type PlaceMetrics = ReturnType<typeof placeMetrics>

export type GatewayMetrics = ReturnType<typeof gatewayMetrics>

/** Whether keys are looked up in memory. If not, each lookup is a request to `keys`. */
export function keyViewGauge(registry: Registry, isCurrent: () => boolean): void {
  const gauge: Gauge = new Gauge({
    name: 'gateway_key_view_current',
    help: '1 while the view of API keys and members is as new as the KEYS stream.',
    registers: [],
    collect: () => gauge.set(isCurrent() ? 1 : 0),
  })
  registry.registerMetric(gauge)
}

import { counter, gauge, histogram, type Registry } from '@whereabouts/service-kit/observe/metrics'

const UPSTREAMS = ['catalog', 'tracking', 'keys', 'webhook-dispatcher', 'console']

/** Metrics of the gateway. The server kit measures the requests. */
export function gatewayMetrics(registry: Registry) {
  return {
    decisions: counter(
      registry,
      'gateway_rate_limit_decisions_total',
      'Rate-limit tokens taken or refused, by where this was decided. `local`: the database was unreachable.',
      { source: ['shared', 'memory', 'local'], outcome: ['taken', 'refused'] },
    ),
    lookups: counter(
      registry,
      'gateway_key_lookups_total',
      'Lookups of API keys and members, by source: the view of the KEYS stream, or a request to the keys service.',
      { source: ['view', 'service'] },
    ),
    failures: counter(
      registry,
      'gateway_upstream_failures_total',
      'Requests that a service failed to answer within the contract, by service and reason.',
      { upstream: UPSTREAMS, reason: ['unreachable', 'timeout', 'invalid_response'] },
    ),
    revocations: histogram(
      registry,
      'gateway_revocation_delay_seconds',
      'Time from the revocation of an API key until this gateway refused it.',
      [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 30],
    ),
    places: placeMetrics(registry),
  }
}

type Measured = { sizes(): { running: number; waiting: number } }

/** The gates in front of the services. Each mount has its own; a service's are added up. */
function placeMetrics(registry: Registry) {
  const gates: { upstream: string; gate: Measured }[] = []
  const count = (upstream: string, state: 'running' | 'waiting') =>
    gates.reduce((sum, one) => (one.upstream === upstream ? sum + one.gate.sizes()[state] : sum), 0)
  gauge(
    registry,
    'gateway_upstream_requests',
    'Requests that have a place at a service, and requests that wait for one.',
    () =>
      UPSTREAMS.flatMap((upstream) =>
        (['running', 'waiting'] as const).map((state) => ({
          labels: { upstream, state },
          value: count(upstream, state),
        })),
      ),
    ['upstream', 'state'],
  )
  const refusals = counter(
    registry,
    'gateway_upstream_refusals_total',
    'Requests refused because too many waited for a place at a service, or for too long.',
    { upstream: UPSTREAMS },
  )
  return {
    measure: (upstream: string, gate: Measured) => void gates.push({ upstream, gate }),
    refused: (upstream: string) => refusals.inc({ upstream }),
  }
}

export type PlaceMetrics = ReturnType<typeof placeMetrics>

export type GatewayMetrics = ReturnType<typeof gatewayMetrics>

/** Whether keys are looked up in memory. If not, each lookup is a request to `keys`. */
export const keyViewGauge = (registry: Registry, isCurrent: () => boolean): void =>
  gauge(
    registry,
    'gateway_key_view_current',
    '1 while the view of API keys and members is as new as the KEYS stream.',
    () => (isCurrent() ? 1 : 0),
  )

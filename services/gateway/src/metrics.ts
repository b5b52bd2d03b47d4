import { Counter, type Registry } from '@whereabouts/service-kit/metrics'

/** What the gateway counts beside the requests themselves, which the server kit measures by operation. */
export function gatewayMetrics(registry: Registry) {
  const registers = [registry]
  return {
    decisions: new Counter({
      name: 'gateway_rate_limit_decisions_total',
      help: 'Tokens taken or refused, by where it was decided; `local` means that the database was away.',
      labelNames: ['source', 'outcome'],
      registers,
    }),
    lookups: new Counter({
      name: 'gateway_key_lookups_total',
      help: 'API keys and members looked up, in the view of the KEYS stream or by asking the keys service.',
      labelNames: ['source'],
      registers,
    }),
    failures: new Counter({
      name: 'gateway_upstream_failures_total',
      help: 'Requests a service did not answer as it should, by service and reason.',
      labelNames: ['upstream', 'reason'],
      registers,
    }),
  }
}

export type GatewayMetrics = ReturnType<typeof gatewayMetrics>

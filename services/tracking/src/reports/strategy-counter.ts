import type { Logger } from '@whereabouts/service-kit/logging'
import { Counter, fromZero, type Registry } from '@whereabouts/service-kit/metrics'
import { pageStrategies, type PageStrategy } from './asset-locations/choose-strategy.rules.ts'

type ReportStrategy = PageStrategy | 'at_instant'
/** `log`: the request's. Its last line, and all behind this call, have `report_strategy`. */
export type RecordStrategy = (log: Logger, strategy: ReportStrategy) => void

/** Counts how asset locations were read, and says it in the log line of the request. */
export function strategyCounter(registry: Registry): RecordStrategy {
  const counter = new Counter({
    name: 'report_strategy_total',
    help: 'Pages of asset locations, by the statement that read them; pnpm explain shows each.',
    labelNames: ['strategy'],
    registers: [registry],
  })
  fromZero(counter, { strategy: [...pageStrategies, 'at_instant'] })
  return (log, strategy) => {
    counter.inc({ strategy })
    log.setBindings({ report_strategy: strategy })
  }
}

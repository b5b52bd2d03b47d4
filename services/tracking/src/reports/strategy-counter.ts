import type { Logger } from '@whereabouts/service-kit/logging'
import { Counter, fromZero, type Registry } from '@whereabouts/service-kit/metrics'
import { pageStrategies, type PageStrategy } from './asset-locations/choose-strategy.rules.ts'

type ReportStrategy = PageStrategy | 'at_instant'
/** `log`: the request's logger. Its lines after this call have `report_strategy`. */
export type RecordStrategy = (log: Logger, strategy: ReportStrategy) => void

/** Counts pages of asset locations by strategy, and adds the strategy to the request's log line. */
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

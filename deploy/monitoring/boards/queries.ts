import type { Panel } from '../grafana.ts'

export const R = '[$__rate_interval]'
export const HTTP = 'http_request_duration_seconds'
export const PUBLIC = 'service="gateway",operation!="none"'
export const READS =
  'service="gateway",operation!~"none|streamMovements|streamReads|exportAssets|exportLocations|exportOrg|summarizeMovements|playMovements|listLocationUses",method="GET"'

/** Median, 95th and 99th percentile of a histogram. */
export const percentiles = (name: string, selector = ''): Panel['queries'] =>
  (['0.5', '0.95', '0.99'] as const).map((q) => [
    `histogram_quantile(${q}, sum by (le) (rate(${name}_bucket{${selector}}${R})))`,
    `p${Number(q) * 100}`,
  ])

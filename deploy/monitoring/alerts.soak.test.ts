import { expect } from 'vitest'
import { alertCases, healthy, type Series } from './alert-cases.fixture.ts'
import { ALERTS_FILE } from './alert-rules.ts'
import { test } from './promtool.fixture.ts'

const AFTER = '130m'

/** The exact set of alerts that fire at the end. */
const group = (name: string, changed: Series, fires: readonly string[]) => ({
  name,
  interval: '1m',
  input_series: Object.entries({ ...healthy, ...changed }).map(([series, values]) => ({ series, values })),
  promql_expr_test: [
    {
      expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
      eval_time: AFTER,
      exp_samples: fires.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
    },
  ],
})

test(
  'a healthy system fires no alert, and each failure fires exactly its alerts',
  { timeout: 300_000 },
  async ({ promtool }) => {
    const file = promtool.write('alerts.json', {
      rule_files: [ALERTS_FILE],
      evaluation_interval: '5m', // every minute takes five times as long and gives the same result
      tests: [
        group('healthy', {}, []),
        ...alertCases.map(({ failure, series, fires }) => group(failure, series, fires)),
      ],
    })
    expect(await promtool.check(['test', 'rules', file])).toContain('SUCCESS')
  },
)

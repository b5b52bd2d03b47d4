import { join } from 'node:path'
import { expect } from 'vitest'
import { ALERTS_FILE } from './alert-rules.ts'
import { boards } from './dashboards.ts'
import { queriesOf } from './grafana.ts'
import { test } from './promtool.fixture.ts'

const fetching = { timeout: 300_000 }

test('Prometheus accepts the rules', fetching, async ({ promtool }) => {
  expect(await promtool.check(['check', 'rules', ALERTS_FILE])).toContain('SUCCESS')
})

test('every query of the dashboards is valid PromQL', fetching, async ({ promtool }) => {
  const rules = boards.flatMap(queriesOf).map((expr, i) => ({ record: `panel:query${i}`, expr }))
  const file = promtool.write('dashboards.json', { groups: [{ name: 'dashboards', rules }] })
  expect(await promtool.check(['check', 'rules', file])).toContain(`${rules.length} rules found`)
})

test('Prometheus accepts its configuration', fetching, async ({ promtool }) => {
  const file = join(import.meta.dirname, 'prometheus.yml')
  expect(await promtool.check(['check', 'config', '--syntax-only', file])).toContain('SUCCESS')
})

import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findPromtool } from '../local/servers/promtool.ts'
import { ROOT } from '../local/services.ts'
import { alertCases, healthy, type Series } from './alert-cases.fixture.ts'
import { ALERTS_FILE } from './alert-rules.ts'
import { boards } from './dashboards.ts'
import { queriesOf } from './grafana.ts'

const run = promisify(execFile)
let promtool: string
let folder: string
beforeAll(async () => {
  promtool = await findPromtool({ cacheDir: join(ROOT, '.cache/promtool') })
  folder = mkdtempSync(join(tmpdir(), 'promtool-'))
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Resolves with the output of promtool; rejects with it on failure. */
async function check(args: string[]): Promise<string> {
  const { stdout } = await run(promtool, args).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stdout}${error.stderr}`)
  })
  return stdout
}

// JSON is YAML.
function written(name: string, content: unknown): string {
  const file = join(folder, name)
  writeFileSync(file, JSON.stringify(content))
  return file
}

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

test('Prometheus accepts the rules', async () => {
  expect(await check(['check', 'rules', ALERTS_FILE])).toContain('SUCCESS')
})

test('a healthy system fires no alert, and each failure fires exactly its alerts', async () => {
  const file = written('alerts.json', {
    rule_files: [ALERTS_FILE],
    evaluation_interval: '5m', // every minute takes five times as long and tells the same
    tests: [
      group('healthy', {}, []),
      ...alertCases.map(({ failure, series, fires }) => group(failure, series, fires)),
    ],
  })
  expect(await check(['test', 'rules', file])).toContain('SUCCESS')
}, 120_000)

test('every query of the dashboards is valid PromQL', async () => {
  const rules = boards.flatMap(queriesOf).map((expr, i) => ({ record: `panel:query${i}`, expr }))
  const file = written('dashboards.json', { groups: [{ name: 'dashboards', rules }] })
  expect(await check(['check', 'rules', file])).toContain(`${rules.length} rules found`)
})

test('Prometheus accepts its configuration', async () => {
  expect(
    await check(['check', 'config', '--syntax-only', join(import.meta.dirname, 'prometheus.yml')]),
  ).toContain('SUCCESS')
})

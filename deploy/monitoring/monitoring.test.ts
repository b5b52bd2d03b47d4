import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../installation/services.ts'
import { alertCases } from './alert-cases.fixture.ts'
import { EXPORTERS_GROUP, isAlert, readAlerts, readGroups } from './alert-rules.ts'
import { boards } from './dashboards.ts'
import { generatedFiles } from './generated-files.ts'
import { queriesOf } from './grafana.ts'
import { foreignMetrics, readMetrics } from './metrics.ts'
import { groupedBy, histogramOf, selectedBy, type Selected } from './promql.fixture.ts'

const alerts = readAlerts()
const names = alerts.map(({ alert }) => alert)
const runbooks = readFileSync(join(ROOT, 'docs/runbooks.md'), 'utf8')
const entries = new Map(
  runbooks.split(/^## /m).slice(1).map((entry) => [entry.slice(0, entry.indexOf('\n')).trim(), entry] as const),
) // oxfmt-ignore

test('every alert has an entry in the runbooks under its name, and every entry an alert', () => {
  expect([...entries.keys()]).toEqual(names)
  for (const { alert, annotations } of alerts)
    expect(annotations['runbook_url']).toBe(`docs/runbooks.md#${alert.toLowerCase()}`)
})

test.for(names)(
  'the entry of %s says what it means, how to see it, what to do and when it is over',
  (name) => {
    const parts = [...(entries.get(name) ?? '').matchAll(/^\*\*(.+?)\.\*\* (.+)/gm)]
    expect(parts.map(([, title]) => title)).toEqual(['Customers', 'See', 'Do', 'Over'])
    for (const [, title, text = ''] of parts) expect(text.length, title).toBeGreaterThan(10)
  },
)

test('every alert is a page or a ticket and shows what it found', () => {
  for (const { alert, labels, annotations } of alerts) {
    expect(['page', 'ticket'], alert).toContain(labels.severity)
    expect(annotations['summary'], alert).toBeTruthy()
    expect(annotations['description'], alert).toMatch(/\{\{ \$(value|labels)|ops port/)
  }
  expect(new Set(names).size).toBe(names.length)
})

test('every alert has a case that fires it', () => {
  const fired = new Set(alertCases.flatMap(({ fires }) => fires))
  expect(names.filter((name) => !fired.has(name))).toEqual([])
})

const groups = readGroups()
const recorded = new Set(
  groups.flatMap(({ rules }) => rules.flatMap((rule) => (isAlert(rule) ? [] : [rule.record]))),
)
const known = new Map(readMetrics().map((metric) => [metric.name, metric]))
/** Labels of Prometheus, of Kubernetes and of histogram buckets. */
const TARGET_LABELS = new Set(['service', 'instance', 'pod', 'le', 'alertname', 'severity', 'class'])

/** Why a query cannot use this metric; undefined when it can. */
function problemOf({ metric, labels }: Selected): string | undefined {
  if (recorded.has(metric)) return undefined
  const found = known.get(metric) ?? known.get(histogramOf(metric))
  if (!found) return `${metric} does not exist`
  if (found.type === 'histogram' && found.name === metric) return `${metric} is a histogram`
  for (const [label, wanted] of Object.entries(labels)) {
    if (label === 'service' && wanted.some((value) => !found.services.includes(value)))
      return `${metric} is not exposed by ${wanted.join()}`
    if (TARGET_LABELS.has(label)) continue
    const values = found.labels[label]
    if (values === undefined) return `${metric} has no label ${label}`
    const unknown = values === 'open' ? [] : wanted.filter((value) => !values.includes(value))
    if (unknown.length > 0) return `${metric} has no ${label} ${unknown.join()}`
  }
  return undefined
}

function problemsOf(query: string): string[] {
  const selected = selectedBy(query)
  const problems = selected.flatMap((one) => problemOf(one) ?? [])
  const labels = new Set(
    selected.flatMap(({ metric }) =>
      Object.keys(known.get(metric)?.labels ?? known.get(histogramOf(metric))?.labels ?? {}),
    ),
  )
  const unknownLabels = groupedBy(query).filter((label) => !labels.has(label) && !TARGET_LABELS.has(label))
  return [...problems, ...unknownLabels.map((label) => `no metric of the query has the label ${label}`)]
}

test('every rule uses metrics, labels and values that exist', () => {
  const ours = groups.filter(({ name }) => name !== EXPORTERS_GROUP).flatMap(({ rules }) => rules)
  expect(ours.length).toBeGreaterThan(60)
  expect(ours.flatMap(({ expr }) => problemsOf(expr))).toEqual([])
})

test('the exporter group uses metrics of exporters only', () => {
  const theirs = groups.find(({ name }) => name === EXPORTERS_GROUP)?.rules ?? []
  const used = theirs.flatMap(({ expr }) => selectedBy(expr).map(({ metric }) => metric))
  expect(used.filter((metric) => !foreignMetrics.includes(metric))).toEqual([])
  expect(used.length).toBeGreaterThan(0)
})

test.for(boards.map((board) => [board.uid, board] as const))(
  'every query of %s uses metrics, labels and values that exist',
  ([, board]) => {
    const problems = queriesOf(board).flatMap(problemsOf)
    expect(problems.filter((problem) => !foreignMetrics.some((name) => problem.startsWith(name)))).toEqual([])
  },
)

test('an unknown name, label or value is reported', () => {
  expect(problemsOf('sum by (pool) (outbox_age_second)')).toEqual([
    'outbox_age_second does not exist',
    'no metric of the query has the label pool',
  ])
  expect(problemsOf('readers{kind="lost"}')).toEqual(['readers has no kind lost'])
  expect(problemsOf('readers{org="7"}')).toEqual(['readers has no label org'])
  expect(problemsOf('outbox_age_seconds{service="gateway"}')).toEqual([
    'outbox_age_seconds is not exposed by gateway',
  ])
  expect(problemsOf('ingest_delay_seconds')).toEqual(['ingest_delay_seconds is a histogram'])
})

test('every panel has a description and a unit', () => {
  for (const { title, description, unit } of boards.flatMap(({ rows }) => Object.values(rows).flat())) {
    expect(description.length, title).toBeGreaterThan(5)
    expect(unit, title).not.toBe('')
  }
})

/** Formatting is left to oxfmt. */
const comparable = (path: string, text: string): unknown =>
  path.endsWith('.json')
    ? JSON.parse(text)
    : text
        .replaceAll(/[ -]+/g, ' ')
        .split('\n')
        .filter((line) => line !== '')

test('dashboards and the table of metrics are up to date: node deploy/monitoring/generate.ts', () => {
  for (const { path, content } of generatedFiles())
    expect(comparable(path, readFileSync(path, 'utf8')), path).toEqual(comparable(path, content))
  const files = readdirSync(join(import.meta.dirname, 'dashboards'))
  expect(files.toSorted()).toEqual(boards.map(({ uid }) => `${uid}.json`).toSorted())
})

import { thresholdOf } from './alert-rules.ts'

/** A query and the name of its series. `$instance` and `$__rate_interval` are Grafana's. */
type Query = readonly [expr: string, legend: string]

export type Panel = {
  title: string
  /** For a reader who sees the panel for the first time. */
  description: string
  /** Grafana's name of a unit: `s`, `percentunit`, `reqps`, `short`, `bytes`, … */
  unit: string
  queries: readonly Query[]
  /** The panel draws its threshold as a line; a stat turns red there. */
  alert?: string
  /** One number instead of a graph, red above or below the threshold. */
  stat?: 'bad above' | 'bad below'
}

export type Board = {
  /** File name and address of the board. */
  uid: string
  title: string
  rows: Readonly<Record<string, readonly Panel[]>>
}

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' }
const COLUMNS = 24
const ROW_HEIGHT = 1
const GRAPH = { w: 12, h: 8 }
const STAT = { w: 4, h: 4 }

/** The dashboard as Grafana imports it. */
export function dashboard({ uid, title, rows }: Board) {
  return {
    uid,
    title: `Whereabouts / ${title}`,
    tags: ['whereabouts'],
    schemaVersion: 39,
    version: 1,
    editable: false,
    timezone: 'browser',
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    graphTooltip: 1,
    templating: { list: variables() },
    annotations: { list: [releases()] },
    links: [
      { type: 'dashboards', tags: ['whereabouts'], asDropdown: true, title: 'Whereabouts', keepTime: true },
    ],
    panels: layOut(rows),
  }
}

function variables() {
  const datasource = { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' }
  const instance = {
    name: 'instance',
    label: 'Instance',
    type: 'query',
    datasource: DATASOURCE,
    query: 'label_values(build_info, instance)',
    refresh: 2,
    multi: true,
    includeAll: true,
    allValue: '.*',
    current: { text: 'All', value: '$__all' },
  }
  return [datasource, instance]
}

/** Marks in every graph when another release started. */
const releases = () => ({
  name: 'Releases',
  enable: true,
  datasource: DATASOURCE,
  expr: 'count by (service, version) (build_info) unless count by (service, version) (build_info offset 2m)',
  titleFormat: '{{service}} {{version}}',
  iconColor: 'blue',
})

function layOut(rows: Board['rows']) {
  const panels: object[] = []
  let y = 0
  for (const [title, row] of Object.entries(rows)) {
    panels.push({
      type: 'row',
      id: panels.length + 1,
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: COLUMNS, h: ROW_HEIGHT },
      panels: [],
    })
    y += ROW_HEIGHT
    let [x, height] = [0, 0]
    for (const panel of row) {
      const { w, h } = panel.stat ? STAT : GRAPH
      if (x + w > COLUMNS) [x, y, height] = [0, y + height, 0]
      panels.push({ id: panels.length + 1, gridPos: { x, y, w, h }, ...drawn(panel) })
      x += w
      height = Math.max(height, h)
    }
    y += height
  }
  return panels
}

function drawn({ title, description, unit, queries, alert, stat }: Panel) {
  const threshold = alert === undefined ? undefined : thresholdOf(alert)
  const targets = queries.map(([expr, legendFormat], i) => ({
    refId: String.fromCodePoint(65 + i),
    datasource: DATASOURCE,
    expr,
    legendFormat,
    range: true,
  }))
  return {
    type: stat ? 'stat' : 'timeseries',
    title,
    description: alert === undefined ? description : `${description} Alert: ${alert}.`,
    datasource: DATASOURCE,
    targets,
    fieldConfig: {
      defaults: { unit, min: 0, thresholds: steps(threshold, stat), custom: stat ? {} : graph(threshold) },
      overrides: [],
    },
    options: stat
      ? { reduceOptions: { calcs: ['lastNotNull'] }, colorMode: 'background', graphMode: 'area' }
      : { legend: { displayMode: 'list', placement: 'bottom' }, tooltip: { mode: 'multi', sort: 'desc' } },
  }
}

const graph = (threshold: number | undefined) => ({
  fillOpacity: 10,
  thresholdsStyle: { mode: threshold === undefined ? 'off' : 'line' },
})

function steps(threshold: number | undefined, stat: Panel['stat']) {
  const below = stat === 'bad below'
  const base = { color: below ? 'red' : 'green', value: null }
  const rest = threshold === undefined ? [] : [{ color: below ? 'green' : 'red', value: threshold }]
  return { mode: 'absolute', steps: [base, ...rest] }
}

/** The queries of a board with Grafana's variables filled in. */
export const queriesOf = ({ rows }: Board): string[] =>
  Object.values(rows)
    .flat()
    .flatMap(({ queries }) => queries.map(([expr]) => expr))
    .concat(releases().expr)
    .map((expr) =>
      expr.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '3h').replaceAll('$instance', '.*'),
    )

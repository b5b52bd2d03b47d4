import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../installation/services.ts'
import { prometheusRule, RULE_FILE } from '../kubernetes/prometheus-rule.ts'
import { boards } from './dashboards.ts'
import { dashboard } from './grafana.ts'
import { isOfNode, readMetrics, type Metric } from './metrics.ts'

const DOCUMENT = join(ROOT, 'docs/monitoring.md')
const [BEGIN, END] = [
  '<!-- metrics: begin, written by deploy/monitoring/generate.ts -->',
  '<!-- metrics: end -->',
]

/** Every file that is generated from another one here; oxfmt formats them. */
export const generatedFiles = (): { path: string; content: string }[] => [
  ...boards.map((board) => ({
    path: join(import.meta.dirname, 'dashboards', `${board.uid}.json`),
    content: JSON.stringify(dashboard(board), null, 2),
  })),
  documented(),
  { path: RULE_FILE, content: prometheusRule() },
]

function documented() {
  const text = readFileSync(DOCUMENT, 'utf8')
  const [before, rest = ''] = text.split(BEGIN)
  const [, after] = rest.split(END)
  if (after === undefined) throw new Error(`${DOCUMENT} has no place for the table of metrics`)
  const ours = readMetrics().filter(({ name }) => !isOfNode(name))
  return { path: DOCUMENT, content: `${before}${BEGIN}\n\n${tableOf(ours)}\n${END}${after}` }
}

function tableOf(metrics: readonly Metric[]): string {
  const head = '| Metric | Type | Labels | Exposed by | Meaning |\n| --- | --- | --- | --- | --- |\n'
  const line = ({ name, type, labels, services, help }: Metric) =>
    `| ${[`\`${name}\``, type, labelsOf(labels), services.length === 6 ? 'all' : services.join(', '), help].join(' | ')} |\n`
  return head + metrics.map(line).join('')
}

/** Long lists of values are replaced by their length. */
const labelsOf = (labels: Metric['labels']): string =>
  Object.entries(labels)
    .map(([name, values]) => `\`${name}\`${values === 'open' ? '' : valuesOf(values)}`)
    .join('; ')

const valuesOf = (values: string[]) => (values.length > 7 ? ` (${values.length})` : `: ${values.join(', ')}`)

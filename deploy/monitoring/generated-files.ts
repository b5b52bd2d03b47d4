import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../local/services.ts'
import { boards } from './dashboards.ts'
import { dashboard } from './grafana.ts'
import type { Metric } from './metric.ts'
import { metrics } from './metrics.ts'

const DOCUMENT = join(ROOT, 'docs/monitoring.md')
const [BEGIN, END] = [
  '<!-- metrics: begin, written by deploy/monitoring/generate.ts -->',
  '<!-- metrics: end -->',
]

/** Everything here that is made of something else; formatting is left to prettier. */
export const generatedFiles = (): { path: string; content: string }[] => [
  ...boards.map((board) => ({
    path: join(import.meta.dirname, 'dashboards', `${board.uid}.json`),
    content: JSON.stringify(dashboard(board), null, 2),
  })),
  documented(),
]

function documented() {
  const text = readFileSync(DOCUMENT, 'utf8')
  const [before, rest = ''] = text.split(BEGIN)
  const [, after] = rest.split(END)
  if (after === undefined) throw new Error(`${DOCUMENT} has no place for the table of metrics`)
  return { path: DOCUMENT, content: `${before}${BEGIN}\n\n${tableOf(metrics)}\n${END}${after}` }
}

function tableOf(rows: readonly Metric[]): string {
  const head =
    '| Metric | Type | Labels | Exposed by | Meaning | Promise |\n| --- | --- | --- | --- | --- | --- |\n'
  const line = ({ name, type, labels, services, meaning, promise }: Metric) =>
    `| ${[`\`${name}\``, type, labelsOf(labels), services.length === 6 ? 'all' : services.join(', '), meaning, promise].join(' | ')} |\n`
  return head + rows.map(line).join('')
}

/** Long lists of values are told by their number. */
const labelsOf = (labels: Metric['labels']): string =>
  Object.entries(labels)
    .map(
      ([name, values]) =>
        `\`${name}\`${values === 'open' ? '' : values.length > 7 ? ` (${values.length})` : `: ${values.join(', ')}`}`,
    )
    .join('; ')

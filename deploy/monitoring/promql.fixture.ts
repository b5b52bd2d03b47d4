/** A metric of a query, with the labels and literal values that it selects by. */
export type Selected = { metric: string; labels: Record<string, string[]> }

const WORDS = new Set(
  'and or unless by without on ignoring group_left group_right bool offset inf nan'.split(' '),
)
const LABEL_LISTS = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g
const TOKEN = /"(?:[^"\\]|\\.)*"|\b\d[\w.]*|([a-zA-Z_:][a-zA-Z0-9_:]*)\s*(\{[^}]*\}|\()?/g
const MATCHER = /([a-zA-Z_][a-zA-Z0-9_]*)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"/g

/** The metrics of a query. Understands enough PromQL for our queries; promtool checks the syntax. */
export function selectedBy(query: string): Selected[] {
  const text = query.replaceAll(LABEL_LISTS, ' ').replaceAll(/\[[^\]]*\]|\boffset\s+\w+/g, ' ')
  return [...text.matchAll(TOKEN)].flatMap(([, name, behind = '']) =>
    name === undefined || behind === '(' || WORDS.has(name.toLowerCase())
      ? []
      : [{ metric: name, labels: matchers(behind) }],
  )
}

/** The labels that a query groups by or joins on. */
export const groupedBy = (query: string): string[] =>
  [...query.matchAll(LABEL_LISTS)].flatMap(([list]) =>
    list
      .slice(list.indexOf('(') + 1, -1)
      .split(',')
      .map((label) => label.trim())
      .filter(Boolean),
  )

function matchers(braces: string): Selected['labels'] {
  const labels: Selected['labels'] = {}
  for (const [, label = '', operator, value = ''] of braces.matchAll(MATCHER))
    labels[label] = [...(labels[label] ?? []), ...literals(operator ?? '', value)]
  return labels
}

/** The alternatives of a pattern that are plain words. */
const literals = (operator: string, value: string): string[] =>
  operator.endsWith('~') ? value.split('|').filter((word) => /^[\w-]+$/.test(word)) : [value]

/** `x_bucket`, `x_sum` and `x_count` are parts of the histogram `x`. */
export const histogramOf = (metric: string): string => metric.replace(/_(?:bucket|sum|count)$/, '')

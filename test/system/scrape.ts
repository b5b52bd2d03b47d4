type Sample = { name: string; labels: Record<string, string>; value: number }
type Family = { name: string; type: string; help: string; labels: string[] }

/** The metrics of one process at one moment. */
export type Scrape = {
  families: Family[]
  /** Of all series of this name that have these labels. */
  sum(name: string, labels?: Record<string, string>): number
  /** Each label of a metric but `service` and `le`, with the values that occur. */
  labelsOf(metric: string): Map<string, Set<string>>
}

/** Reads `/metrics` of an ops address. */
export async function scrape(opsUrl: string): Promise<Scrape> {
  const response = await fetch(`${opsUrl}/metrics`)
  if (!response.ok) throw new Error(`${opsUrl}/metrics answered ${response.status}`)
  return readExposition(await response.text())
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g
const GIVEN = new Set(['service', 'le', 'quantile'])

function readExposition(text: string): Scrape {
  const lines = text.split('\n')
  const samples = lines.flatMap((line) => readSample(line) ?? [])
  const isOf = (metric: string) => (sample: Sample) =>
    sample.name === metric || new RegExp(`^${metric}_(?:bucket|sum|count)$`).test(sample.name)
  const labelsOf = (metric: string) => {
    const found = new Map<string, Set<string>>()
    for (const { labels } of samples.filter(isOf(metric)))
      for (const [label, value] of Object.entries(labels))
        if (!GIVEN.has(label)) found.set(label, (found.get(label) ?? new Set()).add(value))
    return found
  }
  const help = new Map(
    lines.flatMap((line) => [/^# HELP (\S+) (.*)$/.exec(line)?.slice(1) ?? []] as [string, string][]),
  )
  const families = lines.flatMap((line) => {
    const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? []
    return name === undefined || type === undefined
      ? []
      : [{ name, type, help: help.get(name) ?? '', labels: [...labelsOf(name).keys()] }]
  })
  const matches = (sample: Sample, labels: Record<string, string>) =>
    Object.entries(labels).every(([label, value]) => sample.labels[label] === value)
  return {
    families,
    labelsOf,
    sum: (name, labels = {}) =>
      samples
        .filter((sample) => sample.name === name && matches(sample, labels))
        .reduce((sum, { value }) => sum + value, 0),
  }
}

function readSample(line: string): Sample | undefined {
  const [, name, labels = '', value] = SAMPLE.exec(line) ?? []
  if (name === undefined || value === undefined || line.startsWith('#')) return undefined
  return {
    name,
    labels: Object.fromEntries([...labels.matchAll(LABEL)].map(([, label, text]) => [label, text])),
    value: Number(value),
  }
}

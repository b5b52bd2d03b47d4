import type { components } from '@whereabouts/client/client'
import type { Checks } from '../../../parts/form/checks.ts'
import { countText } from '../../../parts/table/count-text.ts'
import { fromLocalInput } from '../../../parts/time/local-time.ts'
import { dayTime } from '../../../parts/time/times.ts'

export type Export = components['schemas']['Export']
type ExportCreate = components['schemas']['ExportCreate']
type Dataset = ExportCreate['dataset']
type Format = ExportCreate['format']

export const DATASETS: readonly { value: Dataset; label: string; help: string; hasTimes: boolean }[] = [
  { value: 'history', label: 'History', help: 'Each minute in which an asset was seen.', hasTimes: true },
  { value: 'movements', label: 'Movements', help: 'Each change of a location.', hasTimes: true },
  {
    value: 'assets',
    label: 'Assets',
    help: 'All assets as they are now, also deleted ones.',
    hasTimes: false,
  },
  { value: 'locations', label: 'Locations', help: 'All locations as they are now, also deleted ones.', hasTimes: false }, // oxfmt-ignore
]

export const FORMATS: readonly { value: Format; label: string }[] = [
  { value: 'csv', label: 'CSV, for spreadsheets' },
  { value: 'parquet', label: 'Parquet, the smallest' },
  { value: 'ndjson', label: 'NDJSON, a JSON object per line' },
]

export const SPANS = [
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: 'all', label: 'All that is kept' },
  { value: 'own', label: 'From, to' },
] as const

/** What the form says. `from` and `to` are local times, for the span `own`. */
export type Draft = { dataset: Dataset; format: Format; span: string; from: string; to: string }
export const NEW_DRAFT: Draft = { dataset: 'history', format: 'csv', span: '7', from: '', to: '' }

const DAY_MS = 86_400_000

export const datasetOf = (value: string) => DATASETS.find((known) => known.value === value)
export const asksTimes = ({ dataset, span }: Draft): boolean =>
  span === 'own' && datasetOf(dataset)?.hasTimes === true

/** What is missing, by field: an empty time would silently be all that is kept. */
export const missingIn = (draft: Draft): Checks => {
  const missing = (text: string) =>
    asksTimes(draft) && fromLocalInput(text) === null ? 'Enter a day and a time.' : undefined
  return { from: missing(draft.from), to: missing(draft.to) }
}

/** The draft as the API takes it. */
export function bodyOf(draft: Draft, nowMs: number): ExportCreate {
  const { dataset, format, span } = draft
  const what = { dataset, format }
  if (datasetOf(dataset)?.hasTimes !== true || span === 'all') return what
  if (span !== 'own') return { ...what, from: new Date(nowMs - Number(span) * DAY_MS).toISOString() }
  const [from, to] = [fromLocalInput(draft.from), fromLocalInput(draft.to)]
  return { ...what, ...(from !== null && { from }), ...(to !== null && { to }) }
}

/** The request that began an export, to begin it again. A newer API may have other datasets and formats. */
export const againOf = ({ dataset, format, from, to }: Export) =>
  ({ dataset, format, ...(from !== null && { from }), ...(to !== null && { to }) }) as ExportCreate

const FORMAT_NAMES: Readonly<Record<string, string>> = { csv: 'CSV', parquet: 'Parquet', ndjson: 'NDJSON' }

export const titleOf = ({ dataset, format }: Pick<Export, 'dataset' | 'format'>): string =>
  `${datasetOf(dataset)?.label ?? dataset} as ${FORMAT_NAMES[format] ?? format}`

/** Without times, it is of the instant at which it was made. */
export const timesText = ({ from, to }: Pick<Export, 'from' | 'to'>): string =>
  from === null || to === null ? 'As it was then' : `${dayTime(from)} – ${dayTime(to)}`

const STATUSES: Readonly<Record<string, string>> = {
  queued: 'Waits',
  running: 'Running',
  done: 'Done',
  failed: 'Failed',
}
export const statusText = ({ status }: Pick<Export, 'status'>): string => STATUSES[status] ?? status

export const isUnfinished = ({ finished_at }: Pick<Export, 'finished_at'>): boolean => finished_at === null
export const percentOf = ({ progress }: Pick<Export, 'progress'>): number => Math.floor(progress * 100)

export const progressText = (one: Export): string =>
  one.status === 'failed'
    ? 'Failed'
    : `${statusText(one)}${isUnfinished(one) ? ` ${percentOf(one)} %` : ''}: ${countText(one.rows, 'rows')}, ${sizeText(one.bytes)}`

const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

export function sizeText(bytes: number): string {
  if (bytes < 1_000) return countText(bytes, 'bytes')
  return bytes < 1_000_000 ? `${number.format(bytes / 1_000)} kB` : `${number.format(bytes / 1_000_000)} MB`
}

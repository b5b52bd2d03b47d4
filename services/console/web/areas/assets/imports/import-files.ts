import type { components, paths } from '@whereabouts/client/client'
import { type ImportColumn, importColumnsOf } from '../../../parts/form/fields.ts'
import { TAG_TYPES } from '../../../parts/things/tag-types.ts'
import { ASSET_FIELDS } from '../assets/asset-fields.ts'
import { LOCATION_FIELDS } from '../../../parts/locations/location-fields.ts'

export type Import = components['schemas']['Import']
export type Resource = paths['/api/v1/imports']['post']['parameters']['query']['resource']

export type EmptyCells = 'clear' | 'keep'

const ENCODINGS: Readonly<Record<string, string>> = {
  'windows-1252': 'Windows-1252 (Western Europe)',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
}

/** What to compare before applying; undefined for UTF-8, which cannot be mistaken. */
export function encodingText({ encoding, first_names: names }: Pick<Import, 'encoding' | 'first_names'>) {
  if (encoding === 'utf-8') return undefined
  const name = ENCODINGS[encoding] ?? encoding
  return { read: `This file was read as ${name}.`, names: names.map((one) => `“${one}”`).join(', ') }
}

/** In the words of the file and its spreadsheet. */
export function unreadableFile({ type, detail }: { type: string; detail: string }) {
  if (type !== 'bad_request') return undefined
  const advice = 'Correct the file in the spreadsheet, save it as “CSV UTF-8”, and choose it again.'
  const reason = `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`
  return {
    title: 'This file cannot be read',
    detail: detail.includes('CSV UTF-8') ? reason : `${reason} ${advice}`,
  }
}

const LABELS: Readonly<Record<Resource, string>> = { assets: 'Assets', locations: 'Locations' }
export const RESOURCES = (Object.keys(LABELS) as Resource[]).map((value) => ({ value, label: LABELS[value] }))

const TAGS: readonly ImportColumn[] = TAG_TYPES.map((name) => ({
  name,
  help: `Values of its ${name} tags, separated by |. An empty cell removes them, unless it is left alone.`,
}))

/** The columns that a file can have, in the order of an export. */
export const COLUMNS: Readonly<Record<Resource, readonly ImportColumn[]>> = {
  assets: [...importColumnsOf(ASSET_FIELDS), ...TAGS],
  locations: [...importColumnsOf(LOCATION_FIELDS), ...TAGS],
}

/** Example files, ready to import. */
export const EXAMPLES: Readonly<Record<Resource, string>> = {
  assets: [
    'external_key,name,description,type,is_active,metadata,rfid,barcode',
    'FORKLIFT-7,Forklift 7,Reach truck,asset,true,"{""maker"": ""Linde""}",E28011606000020A1B2C3D4E,',
    'PALLET-001,Pallet 001,,inventory,true,,E28011606000020A1B2C3D4F|E28011606000020A1B2C3D50,4006381333931',
    '',
  ].join('\r\n'),
  locations: [
    'external_key,name,description,parent_external_key,is_active,barcode',
    'HALL-1,Hall 1,,,true,',
    'DOCK-1,Receiving dock,Gate of the north side,HALL-1,true,LOC-DOCK-1',
    '',
  ].join('\r\n'),
}

export const MAX_BYTES = 64 * 1024 * 1024

/** Why a file cannot be uploaded; the API checks the rest. */
export function problemOf(file: { size: number }): string | undefined {
  if (file.size === 0) return 'The file is empty.'
  if (file.size > MAX_BYTES) return 'The file is larger than 64 MiB. Split it.'
  return undefined
}

export const isUnfinished = ({ state }: Pick<Import, 'state'>): boolean =>
  state === 'pending' || state === 'running'

/** Progress in percent. An import without rows is done. */
export const percentOf = ({ rows_done: done, rows_total: total }: Pick<Import, 'rows_done' | 'rows_total'>) =>
  total === 0 ? 100 : Math.floor((done / total) * 100)

const STATES: Readonly<Record<string, string>> = {
  pending: 'Pending',
  running: 'Running',
  done: 'Done',
  cancelled: 'Cancelled',
  failed: 'Failed',
}

type Progress = Pick<Import, 'state' | 'dry_run' | 'rows_done' | 'rows_total'>

/** Of a check, nothing is done but the check. */
const isChecked = ({ state, dry_run: isDryRun }: Pick<Progress, 'state' | 'dry_run'>) =>
  isDryRun && state === 'done'

export const stateText = (one: Pick<Progress, 'state' | 'dry_run'>): string =>
  isChecked(one) ? 'Checked' : (STATES[one.state] ?? one.state)

/** How far an import is. */
export function progressText(one: Progress): string {
  const rows = `${format.format(one.rows_done)} of ${format.format(one.rows_total)} rows`
  return isChecked(one) ? `Checked ${rows}` : `${stateText(one)}: ${rows}`
}

const format = new Intl.NumberFormat()

export const titleOf = ({ resource, dry_run: isDryRun }: Pick<Import, 'resource' | 'dry_run'>): string =>
  isDryRun ? `File check: ${resource}` : `Import: ${resource}`

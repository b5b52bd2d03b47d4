import type { components } from '@whereabouts/client/client'

export type Import = components['schemas']['Import']
export type Resource = 'assets' | 'locations'

export const RESOURCES: readonly { value: Resource; label: string }[] = [
  { value: 'assets', label: 'Assets' },
  { value: 'locations', label: 'Locations' },
]

export type Column = { name: string; about: string }

const TAGS: readonly Column[] = ['rfid', 'ble', 'barcode'].map((name) => ({
  name,
  about: `Values of its ${name} tags, with | between them. An empty cell removes them.`,
}))

const KEY = {
  name: 'external_key',
  about: 'What it is found by: a row with a key that exists changes that one.',
}
const NAME = { name: 'name', about: 'Needed for whatever is new.' }
const DESCRIPTION = { name: 'description', about: 'Text. An empty cell clears it.' }
const WINDOW: readonly Column[] = [
  { name: 'is_active', about: 'true or false.' },
  { name: 'valid_from', about: 'An instant such as 2026-11-21T10:00:00Z.' },
  { name: 'valid_to', about: 'The same. An empty cell: no end.' },
]

/** The columns that a file may have, in the order of an export. */
export const COLUMNS: Readonly<Record<Resource, readonly Column[]>> = {
  assets: [
    KEY,
    NAME,
    DESCRIPTION,
    { name: 'type', about: 'asset, person or inventory.' },
    ...WINDOW,
    { name: 'metadata', about: 'A JSON object of your own.' },
    ...TAGS,
  ],
  locations: [
    KEY,
    NAME,
    DESCRIPTION,
    {
      name: 'parent_external_key',
      about: 'The location it is inside of; above it in the file, or there already. An empty cell: none.',
    },
    ...WINDOW,
    ...TAGS,
  ],
}

/** A file that can be imported as it is. */
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

/** Why a file cannot be sent; the rest is said by the API. */
export function problemOf(file: { size: number }): string | undefined {
  if (file.size === 0) return 'The file is empty'
  if (file.size > MAX_BYTES) return 'A file has at most 64 MiB: split it'
  return undefined
}

export const isUnfinished = ({ state }: Pick<Import, 'state'>): boolean =>
  state === 'pending' || state === 'running'

/** Of 100; what has no rows is done at once. */
export const percentOf = ({
  rows_done: done,
  rows_total: total,
}: Pick<Import, 'rows_done' | 'rows_total'>) => (total === 0 ? 100 : Math.floor((done / total) * 100))

const STATES: Readonly<Record<string, string>> = {
  pending: 'Waiting',
  running: 'Running',
  done: 'Done',
  cancelled: 'Cancelled',
  failed: 'Failed',
}

export const stateText = (state: string): string => STATES[state] ?? state

export const titleOf = ({ resource, dry_run: isDryRun }: Pick<Import, 'resource' | 'dry_run'>): string =>
  isDryRun ? `Check of a file of ${resource}` : `Import of ${resource}`

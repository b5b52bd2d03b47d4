import type { components } from '@whereabouts/client/client'

export type Limit = components['schemas']['Limit']
type Meaning = { label: string; toDo: string }

const NEAR = 0.9
const MIB = 2 ** 20
const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 })

const MEANINGS: Readonly<Record<string, Meaning>> = {
  assets: { label: 'Assets', toDo: 'Delete assets that you no longer track' },
  locations: { label: 'Locations', toDo: 'Delete locations that you no longer use' },
  tags: { label: 'Tags', toDo: 'Remove tags that you no longer use' },
  stored_bytes: { label: 'Texts and metadata, also of what was deleted', toDo: 'Shorten metadata' },
  image_bytes: { label: 'Images of floor plans', toDo: 'Remove images, or use smaller ones' },
  import_bytes: { label: 'Files of imports', toDo: 'Wait until running imports are done' },
  export_bytes: { label: 'Files of exports', toDo: 'Delete exports that you have downloaded' },
  readers: { label: 'Readers', toDo: 'Delete readers that you no longer use' },
  scan_points: { label: 'Scan points', toDo: 'Delete antennas that you no longer use' },
  kept_messages: { label: 'Messages of readers with a problem', toDo: '' },
  history_days: { label: 'Days of history', toDo: '' },
  api_keys: { label: 'API keys', toDo: 'Revoke keys that you no longer use' },
}

/** A newer API may have more limits. */
const meaningOf = ({ name }: Limit): Meaning =>
  MEANINGS[name] ?? { label: name.replaceAll('_', ' '), toDo: 'Delete what you no longer need' }
export const labelOf = (limit: Limit): string => meaningOf(limit).label

export const percentOf = ({ used, limit }: Limit): number =>
  used >= limit ? 100 : Math.floor((used / limit) * 100)

/** Whether somebody must act soon. What has nothing to do leaves by itself. */
export const isNear = (limit: Limit): boolean =>
  meaningOf(limit).toDo !== '' && limit.used > 0 && limit.used >= limit.limit * NEAR

export const amountText = ({ name }: Limit, amount: number): string =>
  name.endsWith('_bytes') ? `${number.format(amount / MIB)} MiB` : number.format(amount)

/** What to do about a limit that is almost reached, or is. */
export const adviceOf = (limit: Limit): string =>
  `${limit.used >= limit.limit ? 'Full' : 'Almost full'}. ${meaningOf(limit).toDo}, or ask your operator to raise the limit.`

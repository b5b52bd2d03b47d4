import type { components } from '@whereabouts/client/client'
import { wholeBetween } from '../../../parts/form/checks.ts'
import { assetTypeOf } from '../../../parts/things/asset-types.ts'
import type { KnownAssetType } from '../../../parts/things/known.ts'
import { countText } from '../../../parts/table/count-text.ts'

/** Days of history by type. Null: as long as the installation. */
export type Retention = components['schemas']['RetentionDays']
/** Days as typed. Empty: as long as the installation. */
export type Draft = Readonly<Record<KnownAssetType, string>>

export const TYPES = ['asset', 'person', 'inventory'] as const satisfies readonly KnownAssetType[]
const LEAST_DAYS = 7

export const labelOf = (type: KnownAssetType): string =>
  `History of ${assetTypeOf(type).plural.toLowerCase()}`
/** Its name in the API, also in messages of the API. */
export const fieldOf = (type: KnownAssetType): string => `retention_days.${type}`

export const installationText = (installed: number): string =>
  `as long as the installation (${countText(installed, 'days')})`

/** As stored, with what was typed in place of it. */
export const draftOf = (retention: Retention, typed: Partial<Draft>): Draft => ({
  asset: typed.asset ?? String(retention.asset ?? ''),
  person: typed.person ?? String(retention.person ?? ''),
  inventory: typed.inventory ?? String(retention.inventory ?? ''),
})

const daysOf = (typed: string): number | null => (typed === '' ? null : Number(typed))

/** What differs from what is stored, so that changes of others in other fields stay. */
export const changesOf = (retention: Retention, draft: Draft): Partial<Retention> =>
  Object.fromEntries(
    TYPES.map((type) => [type, daysOf(draft[type])] as const).filter(
      ([type, days]) => days !== retention[type],
    ),
  )

/** Problems by field of the API. `installed`: the days that the installation keeps. */
export const checksOf = (changes: Partial<Retention>, installed: number) =>
  Object.fromEntries(
    TYPES.flatMap((type) => {
      const days = changes[type] ?? null
      return days === null ? [] : [[fieldOf(type), wholeBetween(String(days), LEAST_DAYS, installed)]]
    }),
  )

/** A sentence for each type of which history is deleted. */
export const deletionsOf = (retention: Retention, changes: Partial<Retention>, installed: number): string[] =>
  TYPES.flatMap((type) => {
    const days = changes[type] ?? null
    const isShorter = days !== null && days < Math.min(retention[type] ?? installed, installed)
    return isShorter
      ? [`${labelOf(type)} older than ${countText(days, 'days')} is deleted within an hour.`]
      : []
  })

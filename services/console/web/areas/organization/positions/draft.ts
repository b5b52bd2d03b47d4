import { type Checks, wholeBetween } from '../../../parts/form/checks.ts'
import { TAG_TYPES, type TagType, tagTypeLabel } from '../../../parts/things/tag-types.ts'
import type { Placement, PlacementChange } from '../../../parts/placement/use-placement.ts'

/** What the form shows: numbers as typed. */
export type Draft = {
  carries: boolean
  tagTypes: readonly TagType[]
  margin: string
  delay: string
  minimum: string
}

const MAX_MARGIN_DB = 40
const MAX_DELAY_SECONDS = 3_600
const MIN_RSSI_DBM = -120

/** As stored. A newer API may have more types of tags. */
export const draftOf = (placement: Placement): Draft => ({
  carries: placement.passages === 'carry',
  tagTypes: TAG_TYPES.filter((type) => placement.tag_types.includes(type)),
  margin: String(placement.margin_db),
  delay: String(placement.exit_delay_seconds),
  minimum: placement.min_rssi_dbm === null ? '' : String(placement.min_rssi_dbm),
})

/** Puts settings into a draft. What they do not name stays. */
export const withSettings = (draft: Draft, settings: Partial<Placement>): Draft => ({
  carries: settings.passages === undefined ? draft.carries : settings.passages === 'carry',
  tagTypes:
    settings.tag_types === undefined
      ? draft.tagTypes
      : TAG_TYPES.filter((type) => settings.tag_types?.includes(type)),
  margin: settings.margin_db === undefined ? draft.margin : String(settings.margin_db),
  delay: settings.exit_delay_seconds === undefined ? draft.delay : String(settings.exit_delay_seconds),
  minimum: settings.min_rssi_dbm === undefined ? draft.minimum : String(settings.min_rssi_dbm ?? ''),
})

/** Problems by field of the API. */
export const checksOf = ({ margin, delay, minimum }: Draft): Checks => ({
  margin_db: wholeBetween(margin, 0, MAX_MARGIN_DB),
  exit_delay_seconds: wholeBetween(delay, 0, MAX_DELAY_SECONDS),
  min_rssi_dbm: minimum === '' ? undefined : wholeBetween(minimum, MIN_RSSI_DBM, 0),
})

/** What differs from what is stored, so that changes of others in other fields stay. */
export function changesOf(placement: Placement, draft: Draft): PlacementChange {
  const before = draftOf(placement)
  const isOther = (key: keyof Draft) => String(draft[key]) !== String(before[key])
  return {
    ...(isOther('carries') && {
      passages: draft.carries ? ('carry' as const) : ('next_observation' as const),
    }),
    ...(isOther('tagTypes') && { tag_types: [...draft.tagTypes] }),
    ...(isOther('margin') && { margin_db: Number(draft.margin) }),
    ...(isOther('delay') && { exit_delay_seconds: Number(draft.delay) }),
    ...(isOther('minimum') && { min_rssi_dbm: draft.minimum === '' ? null : Number(draft.minimum) }),
  }
}

/** Whether the stored settings already have these values. */
export const isSet = (placement: Placement, settings: Partial<Placement>): boolean =>
  Object.keys(changesOf(placement, withSettings(draftOf(placement), settings))).length === 0

/** Settings in words, such as `margin 6 dB, delay 120 s`. */
export function settingText(settings: Partial<Placement>): string {
  const {
    passages,
    tag_types: types,
    margin_db: margin,
    exit_delay_seconds: delay,
    min_rssi_dbm: min,
  } = settings
  return [
    ...(passages === undefined ? [] : [passages === 'carry' ? 'carry passages' : 'do not carry passages']),
    ...(margin === undefined ? [] : [`margin ${margin} dB`]),
    ...(delay === undefined ? [] : [`delay ${delay} s`]),
    ...(min === undefined
      ? []
      : [min === null ? 'no minimum' : `minimum ${String(min).replace('-', '−')} dBm`]),
    ...(types === undefined ? [] : [`judge ${listed.format(types.map(tagTypeLabel))} tags`]),
  ].join(', ')
}

const listed = new Intl.ListFormat('en', { type: 'conjunction' })

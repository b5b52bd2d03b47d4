import { defaultTagFormat, type ReaderMapping, type TagFormat } from '@whereabouts/contracts/reader-mapping'
import type { Collector } from './collector.ts'
import { readEpochTime, readTime } from './read-fields.ts'
import { readBase64Tag, readEpcTag, readMac } from './tag-values.ts'
import { isAbsent, isStorable } from './texts.ts'
import type { EpochUnit } from './times.ts'

const tagReaders: Record<TagFormat, (value: unknown) => string | undefined> = {
  hex: readEpcTag,
  base64url: readBase64Tag,
  mac: readMac,
  text: (value) => (typeof value === 'string' && isStorable(value) ? value : undefined),
}

/** The value of a tag. Undefined and reported if there is none: then the item gives no read. */
export function readMappedTag(
  out: Collector,
  value: unknown,
  { tag, tag_type, tag_format = defaultTagFormat(tag_type) }: ReaderMapping,
  at: string,
): string | undefined {
  if (isAbsent(value)) return out.report('missing_tag', at)
  return tagReaders[tag_format](value) ?? out.report('invalid_tag', at + tag)
}

const PER_DBM = { dBm: 1, 'dBm/10': 10, 'dBm/100': 100 } as const

/** Units of the device per dBm. */
export const rssiPerDbm = ({ rssi_unit = 'dBm' }: ReaderMapping): number => PER_DBM[rssi_unit]

const EPOCH_UNITS: Partial<Record<string, EpochUnit>> = { epoch_s: 's', epoch_ms: 'ms', epoch_us: 'us' }

const epochUnitOf = ({ time_format }: ReaderMapping) => EPOCH_UNITS[time_format ?? '']

/** True if the times may need a zone. Numbers since 1970 never do. */
export const tellsWallTime = (mapping: ReaderMapping): boolean =>
  mapping.time !== undefined && epochUnitOf(mapping) === undefined

/** The instant in the form that the mapping names. Null if it is absent, unusable, or lacks a zone that it needs. */
export function readMappedTime(
  out: Collector,
  value: unknown,
  mapping: ReaderMapping,
  at: string,
  zone: string | undefined,
): number | null {
  const field = mapping.time ?? ''
  const unit = epochUnitOf(mapping)
  return unit === undefined
    ? readTime(out, value, at, field, zone)
    : readEpochTime(out, value, unit, at, field)
}

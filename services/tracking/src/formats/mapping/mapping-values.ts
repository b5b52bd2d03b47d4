import {
  defaultTagFormat,
  type ReaderMappingPart,
  type TagFormat,
} from '@whereabouts/contracts/resources/tracking/reader-mapping'
import type { Collector } from '../collector.ts'
import { readNumber } from '../json-values.ts'
import type { Field } from './mapping-pointers.ts'
import { readEpochTime, readTime } from '../read-fields.ts'
import { readBarcode, readBase64Tag, readBleTag, readEpcTag } from '../tag-values.ts'
import { epochUnitBySize, type EpochUnit } from '../times.ts'

const tagReaders: Record<TagFormat, (value: unknown) => string | undefined> = {
  hex: readEpcTag,
  base64url: readBase64Tag,
  mac: readBleTag,
  text: readBarcode,
}

/** The value of a tag. Undefined and reported if it has another form: then the item gives no read. */
export const readMappedTag = (
  out: Collector,
  { value, at, pointer }: Field,
  { tag_type = 'ble', tag_format = defaultTagFormat(tag_type) }: ReaderMappingPart,
): string | undefined => tagReaders[tag_format](value) ?? out.report('invalid_tag', at + pointer)

const PER_DBM = { dBm: 1, 'dBm/10': 10, 'dBm/100': 100 } as const

/** Units of the device per dBm. */
export const rssiPerDbm = ({ rssi_unit = 'dBm' }: ReaderMappingPart): number => PER_DBM[rssi_unit]

const EPOCH_UNITS: Partial<Record<string, EpochUnit | 'by size'>> = {
  epoch: 'by size',
  epoch_s: 's',
  epoch_ms: 'ms',
  epoch_us: 'us',
}

const epochUnitOf = ({ time_format }: ReaderMappingPart) => EPOCH_UNITS[time_format ?? '']

/** True if the times may need a zone. Numbers since 1970 never do. */
export const tellsWallTime = (mapping: ReaderMappingPart): boolean =>
  mapping.time !== undefined && epochUnitOf(mapping) === undefined

/** The instant in the form that the mapping names. Null if it is absent, unusable, or lacks a zone that it needs. */
export function readMappedTime(
  out: Collector,
  { value, at, pointer }: Field,
  mapping: ReaderMappingPart,
  zone: string | undefined,
): number | null {
  const named = epochUnitOf(mapping)
  if (named === undefined) return readTime(out, value, at, pointer, zone)
  const unit = named === 'by size' ? epochUnitBySize(readNumber(value) ?? 0) : named
  return readEpochTime(out, value, unit, at, pointer)
}

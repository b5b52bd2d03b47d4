import type { Collector } from '../collector.ts'
import type { JsonObject } from '../json-values.ts'
import { isHexBytes } from '../tag-values.ts'
import { isAbsent } from '../texts.ts'

/** Tag memory is hex, or an error text if the device could not read it. Reports the error; the read still counts. */
export function reportUnusableMemory(
  out: Collector,
  record: JsonObject,
  at: string,
  fields: readonly string[],
): void {
  for (const field of fields) {
    const memory = record[field]
    if (!isAbsent(memory) && !isHexBytes(memory)) out.report('invalid_field', `${at}/${field}`)
  }
}

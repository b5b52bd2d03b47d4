import type { Collector } from './collector.ts'
import type { JsonObject } from './json-values.ts'
import { isHexBytes } from './tag-values.ts'
import { isAbsent } from './texts.ts'

/** Tag memory is hex, or when reading it failed, an error in words: reported, though the read itself stands. */
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

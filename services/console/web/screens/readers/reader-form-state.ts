import type { components } from '@whereabouts/client/client'
import { FORMATS, type ReaderFormat } from './formats.ts'

type Reader = components['schemas']['Reader']
type ReaderCreate = components['schemas']['ReaderCreate']
type ReaderUpdate = components['schemas']['ReaderUpdate']
type Mapping = NonNullable<ReaderCreate['mapping']>

/** Values of the inputs. */
export type ReaderFields = {
  reader_key: string
  name: string
  format: ReaderFormat
  timezone: string
  mapping: string
}

export const newReaderFields = (readerKey = ''): ReaderFields => ({
  reader_key: readerKey,
  name: readerKey,
  format: 'canonical',
  timezone: '',
  mapping: '',
})

export const fieldsOf = ({ reader_key, name, format, timezone, mapping }: Reader): ReaderFields => ({
  reader_key,
  name: name ?? '',
  format: FORMATS.find((known) => known === format) ?? 'canonical',
  timezone: timezone ?? '',
  mapping: mapping ? JSON.stringify(mapping, null, 2) : '',
})

/** Only checks for a JSON object; the API checks the content. */
export function readMapping(text: string): { mapping: Mapping | null } | { problem: string } {
  if (text.trim() === '') return { mapping: null }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { mapping: value as Mapping }
    return { problem: 'The mapping must be a JSON object' }
  } catch (error) {
    return {
      problem: `The mapping is not valid JSON: ${error instanceof Error ? error.message : String(error)}`,
    }
  }
}

export function toCreate(fields: ReaderFields, mapping: Mapping | null): ReaderCreate {
  const { timezone, ...named } = fields
  return { ...named, timezone: timezone === '' ? null : timezone, mapping }
}

/** Only changed fields, so that concurrent changes of others stay. */
export function toUpdate(before: ReaderFields, fields: ReaderFields, mapping: Mapping | null): ReaderUpdate {
  const changed: ReaderUpdate = {}
  if (fields.name !== before.name) changed.name = fields.name
  if (fields.format !== before.format) changed.format = fields.format
  if (fields.timezone !== before.timezone) changed.timezone = fields.timezone === '' ? null : fields.timezone
  if (fields.mapping !== before.mapping) changed.mapping = mapping
  return changed
}

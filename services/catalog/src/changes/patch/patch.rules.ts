import type { AssetPatch } from '@whereabouts/contracts/resources/catalog/assets'
import type { FieldEntry } from '@whereabouts/contracts/errors'
import { WINDOW_PROBLEM } from '@whereabouts/contracts/rules/object-rules'
import type { TagView } from '@whereabouts/contracts/resources/catalog/tags'
import { nameProblems } from '@whereabouts/service-kit/errors/name-problems'
import { metadataProblems } from './metadata.rules.ts'

/** The rules of PATCH that need the stored row, for assets and locations. Stored instants are in milliseconds,
 * as in replies; sent ones in microseconds. */
export type Stored = {
  id: number
  name: string
  external_key: string
  created_at: string
  updated_at: string
  deleted_at: string | null
  valid_from: string
  valid_to: string | null
  tags: readonly TagView[]
  /** Only of assets. */
  metadata?: Record<string, unknown>
}

/** The same fields in the body. */
export type Sent = Pick<AssetPatch, keyof Stored>

/**
 * The problems of read-only fields and of the merged window (D4.7, D4.8), in any order. Call with the row locked, so
 * that `updated_at` works as a concurrency token.
 */
export function storedRowProblems(stored: Stored, sent: Sent): FieldEntry[] {
  const readOnly = (['id', 'created_at', 'updated_at', 'deleted_at'] as const).filter(
    (field) => sent[field] !== undefined && shown(sent[field]) !== shown(stored[field]),
  )
  return [
    ...readOnly.map((field) => problem(field, 'read_only', 'is read-only and is not what is stored')),
    ...(sent.external_key === undefined || sent.external_key === stored.external_key ? [] : [KEY_DIFFERS]),
    ...nameProblems(stored.name, sent.name),
    ...metadataProblems(stored.metadata, sent.metadata),
    ...(sent.tags === undefined || setOf(sent.tags) === setOf(stored.tags) ? [] : [TAGS_DIFFER]),
    ...windowProblems(stored, sent),
  ]
}

const problem = (field: string, code: FieldEntry['code'], what: string): FieldEntry => ({
  field,
  code,
  message: `${field} ${what}`,
})

const KEY_DIFFERS = problem('external_key', 'invalid_context', 'cannot be changed here; use rename')
const TAGS_DIFFER = problem('tags', 'invalid_context', 'cannot be changed here; use the tags subresource')

/** Instants truncated to milliseconds, as in replies. Other values do not change. */
const shown = (value: string | number | null | undefined) =>
  typeof value === 'string' ? value.slice(0, 23) : value

/** The same text for lists with the same tags, in any order. */
function setOf(tags: Readonly<NonNullable<Sent['tags']>>): string {
  const texts = tags.map(({ id, tag_type, value }) => JSON.stringify([id, tag_type, value]))
  return [...new Set(texts)].toSorted().join()
}

/** In milliseconds. The database checks bounds within one millisecond when it writes the row. */
function windowProblems(stored: Stored, sent: Sent): FieldEntry[] {
  const { valid_from = stored.valid_from, valid_to = stored.valid_to } = sent
  return valid_to !== null && valid_to.slice(0, 23) < valid_from.slice(0, 23) ? [WINDOW_PROBLEM] : []
}

type Bound = 'valid_from' | 'valid_to'

/**
 * The bounds that a PATCH moves. Does not write a bound that a client sends back: that would lose its microseconds, and
 * could invert a window shorter than a millisecond.
 */
export function movedBounds(stored: Stored, sent: Sent): Pick<Sent, Bound> {
  const moves = (bound: Bound) => sent[bound] !== undefined && sent[bound] !== asRead(stored[bound])
  return {
    valid_from: moves('valid_from') ? sent.valid_from : undefined,
    valid_to: moves('valid_to') ? sent.valid_to : undefined,
  }
}

/** A stored instant after a client has read it and sent it back. */
const asRead = (wire: string | null) => (wire === null ? null : `${wire.slice(0, 23)}000Z`)

/** Problems of different rules, in the order of the fields in the schema (D3.2). */
export function inSchemaOrder(schema: { shape: object }, entries: readonly FieldEntry[]): FieldEntry[] {
  const fields = Object.keys(schema.shape)
  const place = ({ field }: FieldEntry) => fields.indexOf(field.split('.', 1)[0] ?? field)
  return entries.toSorted((a, b) => place(a) - place(b))
}

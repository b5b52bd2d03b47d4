import type { FieldEntry } from '@whereabouts/contracts/errors'
import { unstorableIn, type Unstorable } from '@whereabouts/contracts/rules/metadata'
import { fieldName } from '@whereabouts/service-kit/errors/field-entries'

type Metadata = Record<string, unknown>

/**
 * The parts of changed metadata that cannot be stored as sent (D12.2). A value that equals the stored one is accepted
 * (D4.8): replies show 1e20 as an integer, and old rows may contain anything.
 */
export function metadataProblems(stored: Metadata | undefined, sent: Metadata | undefined): FieldEntry[] {
  if (sent === undefined) return []
  return unstorableIn(sent)
    .filter((unstorable) => !isEcho(stored, unstorable))
    .map(({ path, message }) => {
      const field = fieldName(['metadata', ...path])
      return { field, code: 'invalid_value', message: message.replace('{f}', field) }
    })
}

function isEcho(stored: unknown, { path, value }: Unstorable): boolean {
  const holder = path.slice(0, -1).reduce(memberOf, stored)
  const name = path.at(-1) ?? ''
  if (name === '__proto__') return memberOf(holder, name) !== undefined
  return typeof value === 'bigint' && memberOf(holder, name) === Number(value)
}

const memberOf = (value: unknown, name: string | number): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Metadata)[name]
    : undefined

/** Metadata to store: turns accepted big integers into numbers again. */
export function storableMetadata<T extends Metadata | undefined>(sent: T): T {
  if (sent === undefined || unstorableIn(sent).every(({ value }) => typeof value !== 'bigint')) return sent
  return JSON.parse(JSON.stringify(sent, toNumber)) as T
}

const toNumber = (_name: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)

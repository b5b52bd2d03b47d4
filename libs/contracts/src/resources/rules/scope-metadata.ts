import { z } from 'zod'
import { describedMetadata } from '../../rules/metadata.ts'
import { addProblem } from '../../rules/text.ts'

/** Names of metadata, each with the value that an asset must have. */
export type ScopeMetadata = Record<string, string | number | boolean>

const MOST_NAMES = 20
const LONGEST = 1_024
const TOO_MANY = {
  code: 'too_long',
  message: `{f} must contain at most ${MOST_NAMES} names`,
  params: { max_length: MOST_NAMES },
} as const
const NO_SCALAR = {
  code: 'invalid_value',
  message: '{f} must be a text of at most 1,024 characters, a number or a boolean',
} as const
const NO_NAME = { code: 'invalid_value', message: '{f} must be a name that metadata may have' } as const

/** PostgreSQL stores neither in JSON. */
const isStorable = (text: string) => text.length <= LONGEST && !/\0|\p{Surrogate}/u.test(text)

function isScalar(value: unknown): boolean {
  if (typeof value === 'string') return isStorable(value)
  return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))
}

/** `mayRemove`: null removes a name. Not a `z.record`, for the reasons of `Metadata`. */
function scopeMetadata({ mayRemove }: { mayRemove: boolean }) {
  const schema = z.unknown().check((payload) => {
    const { value } = payload
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      payload.issues.push({ code: 'invalid_type', expected: 'record', input: value })
      return
    }
    const entries: [string, unknown][] = Object.entries(value)
    if (entries.length > MOST_NAMES) return addProblem(payload, TOO_MANY)
    for (const [name, each] of entries)
      if (name === '' || name === '__proto__' || !isStorable(name)) addProblem(payload, NO_NAME, [name])
      else if (!isScalar(each) && !(mayRemove && each === null)) addProblem(payload, NO_SCALAR, [name])
  })
  return schema.meta(describedMetadata)
}

export const ScopeMetadataInput = scopeMetadata({ mayRemove: false }) as unknown as z.ZodType<ScopeMetadata>
export const ScopeMetadataUpdate = scopeMetadata({ mayRemove: true }) as unknown as z.ZodType<
  Record<string, string | number | boolean | null>
>
export const ScopeMetadataView = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .meta(describedMetadata)

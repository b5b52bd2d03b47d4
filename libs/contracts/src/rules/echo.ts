import { z } from 'zod'
import { MAX_ID } from './ids.ts'
import { Instant } from './instant.ts'

/** PATCH alone: absent leaves a field, null clears it, a value sets it (RFC 7396). */
export const MERGE_PATCH_MEDIA_TYPE = 'application/merge-patch+json'

const description = 'Read-only. Accepted if it equals the stored value, refused if it differs.'

/** Any integer, also one that was never minted: it only differs from the stored one. */
const EchoedId = z
  .number()
  .check((payload) => {
    if (!Number.isInteger(payload.value))
      payload.issues.push({ code: 'invalid_type', expected: 'int', input: payload.value })
  })
  .meta({ override: { type: 'integer', format: 'int64', minimum: 1, maximum: MAX_ID }, description })

/** More tags than any resource has. It bounds the time of the comparison. */
const MAX_ECHOED_TAGS = 10_000

/** Looser than `TagCreate`: a tag with missing fields or an unknown type only differs from the stored one. `epc` is ignored. */
const EchoedTag = z
  .strictObject({
    id: EchoedId,
    tag_type: z.string(),
    value: z.string(),
    epc: z.record(z.string(), z.unknown()).nullable(),
  })
  .partial()
  .meta({ id: 'EchoedTag' })

/**
 * Fields of a view that PATCH does not write. They may come back as they were read, and are compared with the stored
 * row; here they only need to be of the right kind.
 */
export const echoed = {
  id: EchoedId.optional(),
  external_key: z
    .string()
    .meta({ description: `${description} To change it, use the rename operation.` })
    .optional(),
  created_at: Instant.meta({ description }).optional(),
  updated_at: Instant.meta({
    description: `${description} Send it to refuse the update if the resource changed since you read it.`,
  }).optional(),
  deleted_at: Instant.nullable().meta({ description }).optional(),
  tags: z
    .array(EchoedTag)
    .max(MAX_ECHOED_TAGS)
    .meta({ description: `${description} Order does not matter. To change tags, use the tag operations.` })
    .optional(),
}

import { z } from 'zod'
import { MAX_ID } from './ids.ts'
import { Instant } from './instant.ts'

/** PATCH alone: absent leaves a field, null clears it, a value sets it (RFC 7396). */
export const MERGE_PATCH_MEDIA_TYPE = 'application/merge-patch+json'

const description = 'Read-only: accepted when it equals what is stored, refused when it differs.'

/** Any integer: one that was never minted differs like any other, and is no worse than that. */
const EchoedId = z
  .number()
  .check((payload) => {
    if (!Number.isInteger(payload.value))
      payload.issues.push({ code: 'invalid_type', expected: 'int', input: payload.value })
  })
  .meta({ override: { type: 'integer', format: 'int64', minimum: 1, maximum: MAX_ID }, description })

/** Unlike a tag to attach, anything that may be compared: what is missing or unheard of in it makes it differ. */
/** More than anything has: beyond it they would only be compared for a long time. */
const MAX_ECHOED_TAGS = 10_000

const EchoedTag = z.strictObject({ id: EchoedId, tag_type: z.string(), value: z.string() }).partial()

/**
 * Fields of a view that PATCH does not write. They may come back as they were read, and are compared with the stored
 * row; here they only need to be of the right kind.
 */
export const echoed = {
  id: EchoedId.optional(),
  external_key: z
    .string()
    .meta({ description: `${description} To change it: rename.` })
    .optional(),
  created_at: Instant.meta({ description }).optional(),
  updated_at: Instant.meta({
    description: `${description} Sent along, it refuses the change when somebody else was faster.`,
  }).optional(),
  deleted_at: Instant.nullable().meta({ description }).optional(),
  tags: z
    .array(EchoedTag)
    .max(MAX_ECHOED_TAGS)
    .meta({ description: `${description} The order does not matter. To change them: the tags subresource.` })
    .optional(),
}

import { z } from 'zod'
import { errorTypes, type ErrorType, type FieldCode } from '../errors.ts'
import { Caller } from './audit.ts'
import { TagState } from './catalog-state.ts'

/** A newer catalog may have codes that this release does not know. They are passed on as well. */
const AnyCode = z.custom<FieldCode>((code) => typeof code === 'string')

/** A refusal with the text of the API, which is passed on to the caller. */
const Refusal = z.object({
  type: z.enum(Object.keys(errorTypes) as [ErrorType, ...ErrorType[]]),
  detail: z.string(),
  fields: z
    .array(z.object({ field: z.string(), code: AnyCode, message: z.string() }))
    .nonempty()
    .optional(),
})

/**
 * Asks catalog to attach a tag to an asset or a location of one organization, named by id, by key, or by both. Safe to
 * repeat: if the owner already has the tag, the reply is the same.
 */
export const attachTag = {
  subject: 'rpc.catalog.attach-tag',
  request: z.object({
    org_id: z.int(),
    tag_type: z.string(),
    value: z.string(),
    asset_id: z.int().optional(),
    asset_external_key: z.string().optional(),
    location_id: z.int().optional(),
    location_external_key: z.string().optional(),
    /** Who asks, for the audit. The release before does not say. */
    caller: Caller.optional(),
  }),
  reply: z.union([
    z.object({ tag: TagState, owner_external_key: z.string() }),
    z.object({ refused: Refusal }),
  ]),
} as const

export type AttachTag = z.input<typeof attachTag.request>
export type AttachTagReply = z.output<typeof attachTag.reply>

import { attachTag, type AttachTagReply } from '@whereabouts/contracts/messages/attach-tag'
import { TagCreate } from '@whereabouts/contracts/resources/catalog/tags'
import { answering, RefusedError } from '@whereabouts/messaging/messages/request'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { currentTrace, rootTrace, withTrace } from '@whereabouts/service-kit/observe/trace'
import type { z } from 'zod'
import type { RunInTransaction } from '../../changes/transactions/transactions.ts'
import { claim } from './claim.ts'

/** Answers `rpc.catalog.attach-tag`: with the tag, or the error of the API. */
export const { answer: attachRequestedTag, serve: serveTagClaims } = answering(
  attachTag,
  'not a request to attach a tag',
  async (
    runInTransaction: RunInTransaction,
    { org_id, tag_type, value, caller, ...owner },
  ): Promise<AttachTagReply> => {
    const tag = TagCreate.safeParse({ tag_type, value })
    if (!tag.success) throw new RefusedError('not a tag')
    try {
      const trace = { ...(currentTrace() ?? rootTrace()), ...(caller && { caller }) }
      return await withTrace(trace, () => claim(runInTransaction, org_id, owner, tag.data))
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return { refused: refusalOf(error) }
    }
  },
)

type Refusal = Extract<z.input<typeof attachTag.reply>, { refused: unknown }>['refused']

function refusalOf({ type, message, fields = [] }: AppError): Refusal {
  const [first, ...others] = fields.map(({ field, code, message: text }) => ({ field, code, message: text }))
  return { type, detail: message, ...(first && { fields: [first, ...others] }) }
}

import { attachTag, type AttachTagReply } from '@whereabouts/contracts/messages/attach-tag'
import { TagCreate } from '@whereabouts/contracts/resources/catalog/tags'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { RefusedError, respond, type Responder } from '@whereabouts/messaging/messages/request'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { z } from 'zod'
import type { RunInTransaction } from '../../changes/transactions/transactions.ts'
import { claim } from './claim.ts'

/** Answers `rpc.catalog.attach-tag`. One replica answers each request. */
export const serveTagClaims = (
  broker: Broker,
  runInTransaction: RunInTransaction,
  logger: Logger,
): Responder =>
  respond(
    broker,
    attachTag.subject,
    'catalog-attach-tag',
    async (payload) => attachRequestedTag(runInTransaction, payload),
    {
      logger,
    },
  )

/** The reply to one request: the tag, or the error of the API. Refuses malformed requests. */
export async function attachRequestedTag(
  runInTransaction: RunInTransaction,
  payload: unknown,
): Promise<AttachTagReply> {
  const parsed = attachTag.request.safeParse(payload)
  if (!parsed.success) throw new RefusedError('not a request to attach a tag')
  const { org_id, tag_type, value, ...owner } = parsed.data
  const tag = TagCreate.safeParse({ tag_type, value })
  if (!tag.success) throw new RefusedError('not a tag')
  try {
    return await claim(runInTransaction, org_id, owner, tag.data)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { refused: refusalOf(error) }
  }
}

type Refusal = Extract<z.input<typeof attachTag.reply>, { refused: unknown }>['refused']

function refusalOf({ type, message, fields = [] }: AppError): Refusal {
  const [first, ...others] = fields.map(({ field, code, message: text }) => ({ field, code, message: text }))
  return { type, detail: message, ...(first && { fields: [first, ...others] }) }
}

import { attachTag, type AttachTag, type AttachTagReply } from '@whereabouts/contracts/messages/attach-tag'
import type { TagState } from '@whereabouts/contracts/messages/catalog-state'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { request } from '@whereabouts/messaging/messages/request'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { serviceUnavailable } from '@whereabouts/service-kit/errors/errors'

/** Asks catalog over the broker to attach a tag. Rejects if catalog does not reply. */
export type AskToAttach = (wanted: AttachTag) => Promise<AttachTagReply>

/** Longer than catalog waits for a lock. */
const TIMEOUT_MS = 12_000

export const askToAttachOver =
  (broker: Broker): AskToAttach =>
  async (wanted) =>
    attachTag.reply.parse(await request(broker, attachTag.subject, wanted, { timeoutMs: TIMEOUT_MS }))

/**
 * Asks catalog to attach a tag. Throws catalog's refusal, and 503 if there is no reply: then the tag may be attached
 * or not, and the client may send the same claim again.
 */
export async function attach(
  ask: AskToAttach,
  wanted: AttachTag,
): Promise<{ tag: TagState; ownerKey: string }> {
  const reply = await ask(wanted).catch((error: unknown) => {
    throw serviceUnavailable(error)
  })
  if ('tag' in reply) return { tag: reply.tag, ownerKey: reply.owner_external_key }
  const { type, detail, fields } = reply.refused
  const headers = type === 'service_unavailable' ? { 'retry-after': '1' } : {}
  throw new AppError(type, detail, { headers, ...(fields && { fields }) })
}

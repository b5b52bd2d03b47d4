import { attachTag, type AttachTag, type AttachTagReply } from '@whereabouts/contracts/messages/attach-tag'
import type { TagState } from '@whereabouts/contracts/messages/catalog-state'
import type { Broker } from '@whereabouts/messaging/connection'
import { request } from '@whereabouts/messaging/request'
import { AppError } from '@whereabouts/service-kit/app-error'
import { serviceUnavailable } from '@whereabouts/service-kit/errors'

/** Asks catalog over the broker. Rejects when it cannot be asked or does not answer. */
export type AskToAttach = (wanted: AttachTag) => Promise<AttachTagReply>

/** Longer than a lock in catalog is waited for. */
const TIMEOUT_MS = 12_000

export const askToAttachOver =
  (broker: Broker): AskToAttach =>
  async (wanted) =>
    attachTag.reply.parse(await request(broker, attachTag.subject, wanted, { timeoutMs: TIMEOUT_MS }))

/**
 * Has catalog attach a tag. Throws what catalog refuses it with, and 503 when nobody knows what became of it: the same
 * claim may be sent again.
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

import type { FieldEntry } from '@whereabouts/contracts/errors'
import type { SealedChat } from '@whereabouts/contracts/messages/alerts/alert-notices'
import { ADMINS } from '@whereabouts/contracts/resources/rules/notify'
import type { RuleCreate } from '@whereabouts/contracts/resources/rules/rules'
import { rejectIfAny, serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import { NOTIFY_DEFAULTS, type StoredChat, type StoredNotify } from './stored-notify.ts'

/** Asks the services that know people and channels. Each rejects if nobody answers. */
export type Addressing = {
  unknownRecipients: (orgId: number, emails: readonly string[]) => Promise<string[]>
  seal: (
    orgId: number,
    urls: readonly string[],
  ) => Promise<({ sealed: SealedChat; shown: string } | { problem: string })[]>
}

type Sent = RuleCreate['notify']

/**
 * What a request says of `notify`, as it is stored. An address that is sent back as it is shown keeps the one that is stored. Call
 * outside of a transaction: it asks other services. Throws if an address cannot be used.
 */
export async function resolveNotify(
  { unknownRecipients, seal }: Addressing,
  orgId: number,
  sent: Sent,
  stored: StoredNotify = NOTIFY_DEFAULTS,
): Promise<Partial<StoredNotify>> {
  if (!sent) return {}
  const email = sent.email?.map((one) => (one.toLowerCase() === ADMINS ? ADMINS : one))
  const newEmails = (email ?? []).filter((one) => one !== ADMINS && !stored.email.includes(one))
  const chats = (sent.chat ?? []).map(({ kind, url }) => ({
    kind,
    url,
    kept: stored.chat.find((known) => known.kind === kind && known.url === url),
  }))
  const newUrls = chats.filter(({ kept }) => !kept).map(({ url }) => url)
  const [unknown, sealed]: [string[], Awaited<ReturnType<typeof seal>>] = await Promise.all([
    newEmails.length === 0 ? [] : unknownRecipients(orgId, newEmails),
    newUrls.length === 0 ? [] : seal(orgId, newUrls),
  ]).catch(unavailable)
  const problems: FieldEntry[] = (email ?? []).flatMap((one, i) =>
    unknown.includes(one)
      ? [invalid(`notify.email[${i}]`, 'must be the verified address of a member, or admins')]
      : [],
  )
  const found = chats.map(({ kind, kept }, i): StoredChat | undefined => {
    if (kept) return kept
    const answer = sealed.shift()
    if (answer && 'sealed' in answer) return { kind, url: answer.shown, sealed: answer.sealed }
    problems.push(invalid(`notify.chat[${i}].url`, answer?.problem ?? 'cannot be used'))
    return undefined
  })
  rejectIfAny(problems)
  return {
    ...(sent.event !== undefined && { event: sent.event }),
    ...(email && { email }),
    ...(sent.chat && { chat: found.filter((one) => one !== undefined) }),
    ...(sent.remind_minutes !== undefined && { remind_minutes: sent.remind_minutes }),
  }
}

const unavailable = (): never => {
  throw serviceUnavailable()
}
const invalid = (field: string, why: string): FieldEntry => ({
  field,
  code: 'invalid_value',
  message: `${field} ${why}`,
})

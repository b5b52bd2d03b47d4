import type { AlertNotice, ChatResult } from '@whereabouts/contracts/messages/alerts/alert-notices'
import { ADMINS } from '@whereabouts/contracts/resources/rules/notify'
import type { Channels } from '../../src/rules/notices/channels.ts'

type Told = { orgId: number; to: string; notice: AlertNotice }

/** Stands in for keys and the dispatcher, which are other processes. Addresses in `members` take mails. */
export class ChannelsStandIn implements Channels {
  readonly members = new Set<string>(['ada@example.com', 'ben@example.com'])
  readonly told: Told[] = []
  /** Nobody answers. */
  isUnreachable = false
  /** By the URL of a channel: what it answers. It may never. */
  readonly answers = new Map<string, Promise<ChatResult> | ChatResult>()
  /** Called after a message was taken, before its sender learns of it. */
  onTaken: () => Promise<void> | void = () => undefined

  readonly #mailed = new Set<string>()

  of(orgId: number): Told[] {
    return this.told.filter((one) => one.orgId === orgId)
  }

  unknownRecipients = async (_: number, emails: readonly string[]) => {
    this.#reach()
    return emails.filter((one) => !this.members.has(one))
  }

  seal = async (orgId: number, urls: readonly string[]) => {
    this.#reach()
    return urls.map((url) => {
      if (!url.startsWith('https://')) return { problem: 'must use https' }
      const ciphertext = Buffer.from(`${orgId} ${url}`).toString('base64')
      return { sealed: { ciphertext, key_id: 'k1' }, shown: `${new URL(url).origin}/…${url.slice(-4)}` }
    })
  }

  reseal: Channels['reseal'] = async (chats) => {
    this.#reach()
    return chats.map(({ sealed }) => (sealed.key_id === 'k2' ? null : { ...sealed, key_id: 'k2' }))
  }

  mail: Channels['mail'] = async (orgId, to, id, notice) => {
    this.#reach()
    const all = to.flatMap((one) => (one === ADMINS ? ['ada@example.com'] : [one]))
    for (const one of new Set(all)) {
      if (!this.members.has(one) || this.#mailed.has(`${id} ${one}`)) continue
      this.#mailed.add(`${id} ${one}`)
      this.told.push({ orgId, to: one, notice })
    }
    await this.onTaken()
    return all.map((one) => ({ to: one, mail: this.members.has(one) ? 'sent' : 'address not verified' }))
  }

  post: Channels['post'] = async (orgId, { sealed }, _, notice) => {
    this.#reach()
    const [owner, url = ''] = Buffer.from(sealed.ciphertext, 'base64').toString().split(' ')
    if (Number(owner) !== orgId) throw new Error('the address is that of another organization')
    const answer = await (this.answers.get(url) ?? { status_code: 200, error: null })
    if (answer.error === null) this.told.push({ orgId, to: url, notice })
    await this.onTaken()
    return answer
  }

  #reach(): void {
    if (this.isUnreachable) throw new Error('nobody answers')
  }
}

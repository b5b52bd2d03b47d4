import type { SealedChat } from '@whereabouts/contracts/messages/alerts/alert-notices'
import type { Role } from '@whereabouts/contracts/principal'
import { ADMINS, type ChatKind, type RuleNotify } from '@whereabouts/contracts/resources/rules/notify'

/** A channel. `url`: what people may see of its address. */
export type StoredChat = { kind: ChatKind; url: string; sealed: SealedChat }

/** How people hear of the alerts of a rule, as it is stored. */
export type StoredNotify = {
  event: boolean
  email: string[]
  chat: StoredChat[]
  remind_minutes: number | null
}

/** Between two notices of a rule (D14.6). */
export const NOTICE_PAUSE_MS = 300_000

export const NOTIFY_DEFAULTS: StoredNotify = { event: true, email: [], chat: [], remind_minutes: null }

export const tellsPeople = ({ email, chat }: StoredNotify): boolean => email.length > 0 || chat.length > 0

/** For people: without what is encrypted, and for viewers without addresses of others. */
export const toNotifyView = ({ chat, email, ...others }: StoredNotify, role?: Role): RuleNotify => ({
  ...others,
  email: role === 'viewer' ? email.map((one) => (one === ADMINS ? one : '…')) : email,
  chat: chat.map(({ kind, url }) => ({ kind, url })),
})

import type { Rule } from './sentence.ts'

export type Notify = Rule['notify']

/** Instead of an address: all administrators. */
export const ADMINS = 'admins'
export const MOST_CHATS = 5

export const CHATS = [
  { value: 'slack', label: 'Slack' },
  { value: 'teams', label: 'Teams' },
  { value: 'google_chat', label: 'Google Chat' },
  { value: 'generic', label: 'Another (JSON)' },
] as const

export const chatName = (kind: string): string => CHATS.find(({ value }) => value === kind)?.label ?? kind

export const addressesIn = (email: readonly string[]): string[] => email.filter((one) => one !== ADMINS)

/** The addresses as typed: an empty last line stays, so that a person can go on typing. */
export const linesOf = (text: string): string[] => (text === '' ? [] : text.split(/[\n,;]/))

/** As the API takes it: what was left empty is not there. */
export const cleaned = (notify: Notify): Notify => ({
  ...notify,
  email: notify.email.map((one) => one.trim()).filter((one) => one !== ''),
  chat: notify.chat.map(({ kind, url }) => ({ kind, url: url.trim() })),
})

const REMINDERS: readonly (readonly [number, string])[] = [
  [15, 'every 15 minutes'],
  [30, 'every 30 minutes'],
  [60, 'every hour'],
  [240, 'every 4 hours'],
  [1_440, 'every day'],
]

/** The choices, with the one that a program has set. */
export function reminders(minutes: number | null): { value: string; label: string }[] {
  const known = minutes === null || REMINDERS.some(([each]) => each === minutes)
  return [
    { value: '', label: 'never' },
    ...REMINDERS.map(([each, label]) => ({ value: String(each), label })),
    ...(known ? [] : [{ value: String(minutes), label: `every ${minutes} minutes` }]),
  ]
}

/** What became of a test, a line for each. */
export const mailText = (mail: string): string =>
  ({
    sent: 'sent',
    'not configured': 'not sent: this server sends no mail. Tell its operator.',
    'address not verified':
      'not sent: this is not the confirmed address of a member. They confirm it under Account.',
  })[mail] ?? mail

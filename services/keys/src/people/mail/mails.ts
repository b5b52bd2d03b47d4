import { createHmac, hkdfSync, randomUUID } from 'node:crypto'
import type { Db, MailRow } from '../../db.ts'
import { letterOf, type Letter } from './letter.ts'
import { insertMail } from './mail.queries.ts'
import { TEXTS_EN, type Template, type Text, type ValuesOf } from './texts.en.ts'

const HOUR = 3_600
/** How long a mail is tried: a day, or as long as its link lives. */
const SECONDS: Record<Template, number> = {
  password_reset: HOUR,
  invitation: 24 * HOUR,
  verification: 24 * HOUR,
  email_change: 24 * HOUR,
  email_changed: 24 * HOUR,
  second_factor_on: 24 * HOUR,
  second_factor_off: 24 * HOUR,
  alerts: 6 * HOUR,
}

/** The page of the console that a link opens. */
const PAGES: Partial<Record<Template, string>> = {
  password_reset: '/reset-password',
  invitation: '/accept-invitation',
  verification: '/verify-email',
  email_change: '/confirm-email',
}

type Options = {
  /** Where the console is; undefined if no mail is sent. */
  consoleUrl: string | undefined
  secret: Buffer
}

/** Writes mails and says what they say. The loop sends them. */
export function createMails({ consoleUrl, secret }: Options) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'whereabouts mail', 32))
  const mails = {
    isConfigured: consoleUrl !== undefined,

    /** Not random, so that the row has no token and each attempt sends the same link. */
    tokenOf: (mailId: string): string => createHmac('sha256', key).update(mailId).digest('base64url'),

    newId: (): string => randomUUID(),

    async write<T extends Template>(
      db: Db,
      { id, template, to, values }: { id: string; template: T; to: string; values: ValuesOf<T> },
    ): Promise<void> {
      await insertMail(db, { id, template, recipient: to, details: values, seconds: SECONDS[template] })
    },

    letterOf({ id, template, details }: MailRow): Letter {
      const page = PAGES[template]
      const link =
        template === 'alerts'
          ? `${consoleUrl}/alerts?rule_id=${(details as ValuesOf<'alerts'>).notice.rule.id}`
          : page && `${consoleUrl}${page}#token=${mails.tokenOf(id)}`
      const textOf = TEXTS_EN[template] as (values: unknown) => Text
      return letterOf(textOf(details), link)
    },
  }
  return mails
}

export type Mails = ReturnType<typeof createMails>

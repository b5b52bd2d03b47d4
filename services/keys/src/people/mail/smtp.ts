import { createTransport } from 'nodemailer'
import type { Letter } from './letter.ts'

/** Less than the pause after the first attempt, so that no second one begins meanwhile. */
const LONGEST_MS = 60_000

export type Outcome = { kind: 'sent' } | { kind: 'refused' | 'failed'; error: unknown }
export type Smtp = { send(to: string, letter: Letter): Promise<Outcome>; close(): void }

/** Sends over SMTP. `refused`: the server never takes a mail to this address. */
export function createSmtp({ url, from }: { url: string; from: string }): Smtp {
  const transport = createTransport({
    url,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send(to, letter) {
      const late = Promise.withResolvers<never>()
      const timer = setTimeout(() => late.reject(new Error('the SMTP server took too long')), LONGEST_MS)
      try {
        // An address object: a text may be a list of addresses.
        await Promise.race([
          transport.sendMail({ from, to: { name: '', address: to }, ...letter }),
          late.promise,
        ])
        return { kind: 'sent' }
      } catch (error) {
        return { kind: isRefusedForGood(error) ? 'refused' : 'failed', error }
      } finally {
        clearTimeout(timer)
      }
    },
    close: () => transport.close(),
  }
}

/** 5xx to the recipient or the message. To the login or the sender it is a mistake of the operator, which ends. */
function isRefusedForGood(error: unknown): boolean {
  const { responseCode, command } = error as { responseCode?: number; command?: string }
  const ofMail = command === 'RCPT TO' || command === 'DATA'
  return ofMail && responseCode !== undefined && responseCode >= 500
}

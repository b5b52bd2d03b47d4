import { expect } from 'vitest'

type Mail = { to: string; subject: string; text: string }

/** The token of the last mail to the address with this subject, once it has arrived at the catcher. */
export async function mailedToken(mailUrl: string, to: string, subject: string): Promise<string> {
  let token: string | undefined
  await expect
    .poll(
      async () => {
        const mails = (await (await fetch(`${mailUrl}/email`)).json()) as Mail[]
        const mail = mails.findLast((each) => each.to === to && each.subject === subject)
        token = /#token=([\w-]+)/.exec(mail?.text ?? '')?.[1]
        return token
      },
      { timeout: 15_000 },
    )
    .toBeDefined()
  return token ?? ''
}

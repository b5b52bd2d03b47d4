import { expect } from 'vitest'

type Mail = { to: string; subject: string; text: string }

/** What the catcher has, oldest first. */
export const caughtMails = async (mailUrl: string): Promise<Mail[]> =>
  (await (await fetch(`${mailUrl}/email`)).json()) as Mail[]

/** The link in the last mail to the address with this subject, once it has arrived at the catcher. */
export async function mailedLink(mailUrl: string, to: string, subject: string): Promise<string> {
  let link: string | undefined
  await expect
    .poll(
      async () => {
        const mail = (await caughtMails(mailUrl)).findLast(
          (each) => each.to === to && each.subject === subject,
        )
        link = /https?:\S+#token=[\w-]+/.exec(mail?.text ?? '')?.[0]
        return link
      },
      { timeout: 15_000 },
    )
    .toBeDefined()
  return link ?? ''
}

export const mailedToken = async (mailUrl: string, to: string, subject: string): Promise<string> =>
  (await mailedLink(mailUrl, to, subject)).split('#token=')[1] ?? ''

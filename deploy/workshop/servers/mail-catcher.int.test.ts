import { createConnection } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { startMailCatcher } from './mail-catcher.ts'

/** Speaks SMTP line by line, as any mail program. */
async function deliver(smtpUrl: string, lines: string[]): Promise<void> {
  const socket = createConnection(Number(new URL(smtpUrl).port), '127.0.0.1').setEncoding('utf8')
  await once(socket, 'data')
  for (const line of lines) {
    socket.write(`${line}\r\n`)
    await once(socket, 'data')
  }
  socket.end()
}

test('what is sent is listed, with its text, in the order of arrival', async () => {
  const catcher = await startMailCatcher()
  for (const subject of ['One', 'Two', 'Three'])
    await deliver(catcher.smtpUrl, [
      'HELO test',
      'MAIL FROM:<a@example.com>',
      'RCPT TO:<b@example.com>',
      'DATA',
      `From: a@example.com\r\nSubject: ${subject}\r\n\r\nThe text of ${subject}\r\n.`,
    ])
  const listed = (await (await fetch(`${catcher.url}/email`)).json()) as unknown[]
  expect(listed).toMatchObject(
    ['One', 'Two', 'Three'].map((subject) => ({
      to: 'b@example.com',
      subject,
      text: `The text of ${subject}\n`,
    })),
  )
  expect((await fetch(catcher.url)).status).toBe(404)
  await catcher.stop()
})

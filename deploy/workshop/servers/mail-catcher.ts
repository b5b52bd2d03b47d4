import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { callbackify } from 'node:util'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'

export type CaughtMail = {
  to: string
  from: string
  subject: string
  text: string
  html: string
  time: string
}

export type MailCatcher = {
  smtpUrl: string
  /** `GET {url}/email` lists what was caught, oldest first. */
  url: string
  stop: () => Promise<void>
}

/** Mails of a day of work; the oldest go first. */
const MOST_MAILS = 1_000

/** Takes every mail over SMTP, delivers none, and shows them over HTTP. Both on this machine only. */
export async function startMailCatcher(httpPort = 0): Promise<MailCatcher> {
  const caught: CaughtMail[] = []
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: callbackify(async (stream: Readable, { envelope }: SMTPServerSession) => {
      caught.push(await read(stream, envelope.rcptTo.map(({ address }) => address).join(', ')))
      caught.splice(0, caught.length - MOST_MAILS)
    }),
  })
  smtp.on('error', () => undefined) // a client that went away
  smtp.listen(0, '127.0.0.1')
  await once(smtp.server, 'listening')
  const http = createServer((request, response) => {
    const isList = request.method === 'GET' && request.url === '/email'
    response.writeHead(isList ? 200 : 404, { 'content-type': 'application/json; charset=utf-8' })
    response.end(JSON.stringify(isList ? caught : { error: 'GET /email lists the mails' }))
  })
  http.listen(httpPort, '127.0.0.1')
  await once(http, 'listening')
  return {
    smtpUrl: `smtp://127.0.0.1:${portOf(smtp.server)}`,
    url: `http://127.0.0.1:${portOf(http)}`,
    async stop() {
      http.closeAllConnections()
      await Promise.all([
        new Promise<void>((resolve) => smtp.close(resolve)),
        new Promise<void>((resolve) => void http.close(() => resolve())),
      ])
    },
  }
}

const portOf = (server: { address(): AddressInfo | string | null }) => (server.address() as AddressInfo).port

async function read(stream: Readable, to: string): Promise<CaughtMail> {
  const mail = await PostalMime.parse(Buffer.concat(await stream.toArray()))
  const { subject = '', text = '', html = '' } = mail
  return { to, from: mail.from?.address ?? '', subject, text, html, time: new Date().toISOString() }
}

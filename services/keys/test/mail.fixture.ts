import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { callbackify } from 'node:util'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import { test as base, type Keys } from './keys.fixture.ts'
import { sendMails, type MailDeps } from '../src/people/mail/mail.loop.ts'
import { createSmtp } from '../src/people/mail/smtp.ts'

type Caught = { to: string; from: string; subject: string; text: string; html: string; token: string }

/** A real SMTP server on loopback, and the loop of a replica that sends to it. */
export type Post = {
  caught: Caught[]
  /** The answer to the recipients from now on; undefined accepts them. */
  answer: (code: number | undefined) => void
  /** Called when a mail has arrived, before the server answers. */
  onArrival: (work: () => Promise<void>) => void
  /** Sends what is due, as each replica does. */
  send: (deps?: Partial<MailDeps>) => Promise<void>
  /** The last mail to the address, after everything due was sent. */
  lastTo: (address: string) => Promise<Caught>
}

async function startPost(keys: Keys): Promise<Post & { stop(): Promise<void> }> {
  const caught: Caught[] = []
  let code: number | undefined
  let arrived = async () => {}
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo(_address, _session, done) {
      done(code === undefined ? null : Object.assign(new Error('no'), { responseCode: code }))
    },
    onData: callbackify(async (stream: Readable, { envelope }: SMTPServerSession) => {
      caught.push(await read(stream, envelope.rcptTo.map(({ address }) => address).join()))
      await arrived()
    }),
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  const smtp = createSmtp({ url: `smtp://127.0.0.1:${port}`, from: 'Whereabouts <mail@whereabouts.example>' })
  const send: Post['send'] = (deps) =>
    sendMails(
      {
        db: keys.database.worker.db,
        mails: keys.mails,
        smtp,
        log: createLogger('keys', 'silent'),
        onOutcome: () => undefined,
        ...deps,
      },
      new AbortController().signal,
    )
  return {
    caught,
    send,
    answer: (next) => {
      code = next
    },
    onArrival: (work) => {
      arrived = work
    },
    async lastTo(address) {
      await send()
      const mail = caught.findLast(({ to }) => to === address)
      if (!mail) throw new Error(`no mail to ${address}`)
      return mail
    },
    async stop() {
      smtp.close()
      await new Promise<void>((resolve) => server.close(resolve))
    },
  }
}

async function read(stream: Readable, to: string): Promise<Caught> {
  const mail = await PostalMime.parse(Buffer.concat(await stream.toArray()))
  const { subject = '', text = '', html = '' } = mail
  return {
    to,
    from: mail.from?.address ?? '',
    subject,
    text,
    html,
    token: /#token=([\w-]+)/.exec(text)?.[1] ?? '',
  }
}

/** Keys with a mail server. */
export const test = base.extend<{ post: Post; consoleUrl: string | undefined }>({
  consoleUrl: ['https://whereabouts.example', { scope: 'file' }],
  post: [
    async ({ keys }, use) => {
      const post = await startPost(keys)
      await use(post)
      await post.stop()
    },
    { scope: 'file' },
  ],
})

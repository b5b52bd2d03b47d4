import { stdin } from 'node:process'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Command } from 'commander'
import { unwrap } from '../client.ts'
import { say, write } from './output.ts'
import { forget, keep, known, open, UsageError } from './settings.ts'

type Login = { base?: string; clientId?: string; insecureHttp?: boolean }

/** Sign-in with an API key, which an administrator creates in the web app. */
export function addKeyCommands(program: Command): void {
  program
    .command('login')
    .description('keep an API key for the next commands, in a file that only you can read')
    .option('--base <url>', 'the address before /api/v1')
    .option('--client-id <id>')
    .option('--insecure-http', 'send the key over http to another machine, for all on the way to read')
    .addHelpText(
      'after',
      '\nThe secret is read from WHEREABOUTS_CLIENT_SECRET, a pipe, or the terminal without showing it.',
    )
    .action(async ({ base, clientId, ...more }: Login) => {
      const { baseUrl, ...before } = known()
      const lines = await asked([
        ['Address', base ?? baseUrl],
        ['Client id', clientId ?? before.clientId],
        ['Client secret', process.env['WHEREABOUTS_CLIENT_SECRET']],
      ])
      const [address = '', id = '', secret = ''] = lines
      if (!URL.canParse(address))
        throw new UsageError(`${address || 'The address'} is not an address such as https://api.example.com.`)
      const settings = {
        baseUrl: address.replace(/\/+(?:api\/v1\/?)?$/, ''),
        clientId: id,
        clientSecret: secret,
        ...more,
      }
      const { name } = await organizationOf(settings)
      say(`Signed in to ${name}. The key is in ${keep(settings)}.\n`)
    })
  program
    .command('logout')
    .description('forget the key')
    .action(() => forget())
  program
    .command('whoami')
    .description('show the organization and the scopes of the key')
    .option('--json', 'for programs')
    .action(async ({ json }: { json?: boolean }) => {
      const me = await organizationOf(known())
      write(json ? `${JSON.stringify(me)}\n` : `${me.name} (${me.id})\nscopes: ${me.scopes.join(', ')}\n`)
    })
}

const organizationOf = async (settings: Parameters<typeof open>[0]) =>
  unwrap(await open(settings).api.GET('/api/v1/orgs/me')).data

/** The values that are not known yet, from a terminal or line by line from a pipe. The last one is a secret. */
async function asked(
  questions: readonly (readonly [question: string, known: string | undefined])[],
): Promise<string[]> {
  let isHidden = false
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden) process.stderr.write(chunk)
      done()
    },
  })
  const terminal = createInterface({ input: stdin, output, terminal: stdin.isTTY })
  const lines = stdin.isTTY ? undefined : terminal[Symbol.asyncIterator]()
  const answers: string[] = []
  try {
    for (const [i, [question, value]] of questions.entries()) {
      if (value !== undefined) {
        answers.push(value)
        continue
      }
      if (lines) answers.push(((await lines.next()).value ?? '').trim())
      else {
        const answer = terminal.question(`${question}: `)
        isHidden = i === questions.length - 1
        answers.push((await answer).trim())
        if (isHidden) say('\n')
      }
    }
  } finally {
    terminal.close()
  }
  return answers
}

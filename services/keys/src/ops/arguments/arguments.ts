import { Command, CommanderError } from 'commander'
import { EXAMPLES } from './examples.ts'
import { CONSOLE, newCommand, withPage, type Found, type Json } from './new-command.ts'
import { addOrgCommands, addOrgEndCommands } from './org-arguments.ts'
import type { Page, Request } from './request.ts'
import { keyReference, orgReference, perMinuteOrDefault, perSecondOrDefault } from './values.ts'

/** A request, the help text, or the error in the arguments. */
export type Reading = { request: Request } | { help: string } | { wrong: string }

const EPILOGUE = `
Every command, by example:
${Object.values(EXAMPLES)
  .map((line) => `  pnpm ops ${line}`)
  .join('\n')}

Every command takes --json and --help. Exit codes: 0 done, 1 failed, 2 wrong arguments, 78 configuration to fix.

Environment:
  DATABASE_URL        PostgreSQL, as the role of the service keys
  SIGNING_KEY_SECRET  the one of the service; for "signing-keys rotate" only
  PUBLIC_URL          address of the console, for links without --console

  NATS_URL, NATS_USER, NATS_PASSWORD, NATS_CA_FILE
                      the broker, as the services; for "org usage" only
  NATS_SYSTEM_PASSWORD
                      with NATS_URL and NATS_CA_FILE, for "broker reload" only

The running service publishes what is changed here.`

/** Reads the arguments after the program's name; a first \`--\`, which pnpm passes on, is skipped. */
export function readArguments(argv: readonly string[]): Reading {
  let request: Request | undefined
  let printed = ''
  const program = buildProgram(
    (found) => {
      request = found
    },
    (text) => {
      printed += text
    },
  )
  try {
    program.parse(argv[0] === '--' ? argv.slice(1) : argv, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return { help: printed }
    // A group without a command: commander has printed its help.
    if (error.code === 'commander.help') return { wrong: printed.trim() }
    return { wrong: `${error.message.replace(/^error: /, '')}\nSee --help.` }
  }
  if (!request) throw new Error('commander ran no command')
  return { request }
}

function buildProgram(found: (request: Request) => void, print: (text: string) => void): Command {
  const program = new Command('pnpm ops')
    .description('Manage organizations, users, API keys and signing keys.')
    .exitOverride()
    .configureOutput({ writeOut: print, writeErr: print, outputError: () => undefined })
    .configureHelp({ showGlobalOptions: false, helpWidth: 100 })
    .addHelpText('after', EPILOGUE)
  const orgs = program.command('org').alias('orgs').description('organizations and their administrators')
  addOrgCommands(orgs, found)
  addOrgEndCommands(orgs, found)
  addUserCommands(program.command('user').description('people who sign in'), found)
  addKeyCommands(program.command('key').description('API keys of integrators and readers'), found)
  addSigningKeyCommands(
    program.command('signing-keys').description('the keys that sign access tokens'),
    found,
  )
  addBrokerCommands(program.command('broker').description('the brokers, which readers connect to'), found)
  return program
}

function addBrokerCommands(broker: Command, found: Found): void {
  newCommand(broker, 'broker reload')
    .description(
      'Make all brokers read their configuration again, such as more reader accounts. Readers log in again within seconds.',
    )
    .action(({ json }: Json) => found({ command: 'broker reload', json: json ?? false }))
}

function addUserCommands(user: Command, found: Found): void {
  newCommand(user, 'user reset-link')
    .description('Create a link with which a person chooses a new password. It works once, for an hour.')
    .argument('<email>', 'with which the person signs in')
    .option(...CONSOLE)
    .action((email: string, { json, console: consoleUrl }: Json & { console?: string }) =>
      found({ command: 'user reset-link', email, consoleUrl, json: json ?? false }),
    )
  newCommand(user, 'user codes-off')
    .description('Switch off the one-time codes of a person who has lost them and the recovery codes.')
    .argument('<email>', 'with which the person signs in')
    .action((email: string, { json }: Json) =>
      found({ command: 'user codes-off', email, json: json ?? false }),
    )
  newCommand(user, 'user sign-on-link')
    .description(
      'Link single sign-on to a person whose provider does not say that addresses are verified, such as Entra ID.',
    )
    .argument('<email>', 'with which the person signs in')
    .argument('<subject>', 'the claim "sub" that the provider sends for the person')
    .option('--issuer <url>', 'of the provider; OIDC_ISSUER if left out')
    .action((email: string, subject: string, { json, issuer }: Json & { issuer?: string }) =>
      found({ command: 'user sign-on-link', email, subject, issuer, json: json ?? false }),
    )
  newCommand(user, 'user sign-on-unlink')
    .description(
      'Unlink single sign-on from a person whose subject at the provider has changed. The next sign-on links it again.',
    )
    .argument('<email>', 'with which the person signs in')
    .action((email: string, { json }: Json) =>
      found({ command: 'user sign-on-unlink', email, json: json ?? false }),
    )
}

function addKeyCommands(key: Command, found: Found): void {
  withPage(newCommand(key, 'key list'))
    .description(
      'List the API keys of an organization, newest first. Secrets are not stored, so they cannot be shown.',
    )
    .requiredOption('--org <org>', 'id or name, as "org list" shows them', orgReference)
    .option('--all', 'include revoked keys')
    .action(({ json, org, all, limit, offset }: Json & Page & { org: number | string; all?: true }) =>
      found({ command: 'key list', org, all: all ?? false, limit, offset, json: json ?? false }),
    )
  newCommand(key, 'key limit')
    .description("Set a key's own rate limit. Running gateways follow within a second.")
    .argument('<key>', 'id or jti (client id) of the key', keyReference)
    .requiredOption('--per-minute <n|default>', 'requests per minute, 1 to 1000000', perMinuteOrDefault)
    .action((reference: number | string, { json, perMinute }: Json & { perMinute: number | 'default' }) =>
      found({
        command: 'key limit',
        key: reference,
        perMinute: perMinute === 'default' ? null : perMinute,
        json: json ?? false,
      }),
    )
  newCommand(key, 'key message-rate')
    .description("Set how many reader messages a second a key adds to its organization's share of ingest.")
    .argument('<key>', 'id or jti (client id) of the key', keyReference)
    .requiredOption('--per-second <n|default>', 'messages per second, 1 to 100000', perSecondOrDefault)
    .action((reference: number | string, { json, perSecond }: Json & { perSecond: number | 'default' }) =>
      found({
        command: 'key message-rate',
        key: reference,
        perSecond: perSecond === 'default' ? null : perSecond,
        json: json ?? false,
      }),
    )
  newCommand(key, 'key revoke')
    .description(
      'Revoke a key for good. Within a second, its tokens are refused and its readers disconnected.',
    )
    .argument('<key>', 'id or jti (client id) of the key', keyReference)
    .action((reference: number | string, { json }: Json) =>
      found({ command: 'key revoke', key: reference, json: json ?? false }),
    )
}

function addSigningKeyCommands(signingKeys: Command, found: Found): void {
  newCommand(signingKeys, 'signing-keys list')
    .description('List the active key, the next key, and retired keys that are still published.')
    .action(({ json }: Json) => found({ command: 'signing-keys list', json: json ?? false }))
  newCommand(signingKeys, 'signing-keys rotate')
    .description(
      'Make the next key the active one, without downtime. Tokens signed before stay valid until they expire. ' +
        'Refused while the next key is younger than ten minutes, because a gateway may not know it yet.',
    )
    .action(({ json }: Json) => found({ command: 'signing-keys rotate', json: json ?? false }))
}

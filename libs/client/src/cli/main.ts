#!/usr/bin/env node
import { Command } from 'commander'
import { ApiError } from '../client.ts'
import { VERSION } from '../version.ts'
import { addCatalogCommands } from './catalog.ts'
import { addCompletion } from './completion.ts'
import { addCsvCommands } from './csv.ts'
import { addEventCommands } from './events.ts'
import { addKeyCommands } from './key.ts'
import { say } from './output.ts'
import { addScanCommands } from './scan.ts'
import { NOT_FOUND, UsageError } from './settings.ts'
import { addTrackingCommands } from './tracking.ts'
import { addVerifyCommand } from './verify.ts'
import { addWebhookCommands } from './webhooks.ts'

const HELP = `
Examples
  $ whereabouts login --base https://api.example.com
  $ whereabouts asset set PUMP-17 --name "Pump 17" --tag rfid:E2801160600002AA17
  $ whereabouts save DOCK-1 PUMP-17 PUMP-18
  $ whereabouts where --in DOCK-1
  $ whereabouts scan dock-1 impinj message.json --check
  $ whereabouts export report > report.csv
  $ whereabouts webhooks deliveries 4503599627370577 --state failed

Environment
  WHEREABOUTS_BASE, WHEREABOUTS_CLIENT_ID, WHEREABOUTS_CLIENT_SECRET  instead of "login"
  WHEREABOUTS_INSECURE_HTTP=true  allows http to another machine

Exit status
  0 done, 1 refused or failed, 2 wrong usage, 3 not found, 4 done in part, 130 stopped by Ctrl-C`

const HELP_OPTIONS = new Set(['--help', '-h'])

/** A wrong command line ends with status 2, as usual for commands. */
const program = new Command('whereabouts')
  .description('Assets, where they are and were.')
  .version(VERSION)
  .addHelpText('after', HELP)
  .showHelpAfterError('(--help shows what is possible)')
  .exitOverride()

addKeyCommands(program)
addCatalogCommands(program)
addTrackingCommands(program)
addScanCommands(program)
addCsvCommands(program)
addEventCommands(program)
addWebhookCommands(program)
addVerifyCommand(program)
addCompletion(program)
for (const command of everyCommand(program))
  command.exitOverride().showHelpAfterError('(--help shows what is possible)')

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0) // as with "| head"
  throw error
})
try {
  const args = process.argv.slice(2)
  // Help for a command that does not exist would be that of another.
  await program.parseAsync(isUnknown(program, args) ? args.filter((arg) => !HELP_OPTIONS.has(arg)) : args, {
    from: 'user',
  })
} catch (error) {
  process.exitCode = explain(error)
}

function isUnknown(command: Command, [name = '-', ...rest]: string[]): boolean {
  if (name.startsWith('-') || name === 'help' || command.commands.length === 0) return false
  const own = command.commands.find((one) => one.name() === name)
  return own === undefined || isUnknown(own, rest)
}

function everyCommand(command: Command): Command[] {
  return command.commands.flatMap((own) => [own, ...everyCommand(own)])
}

/** Says what went wrong, for people. Returns the exit status. */
function explain(error: unknown): number {
  if (error instanceof Error && 'exitCode' in error) return error.exitCode === 0 ? 0 : 2 // commander has said it
  if (error instanceof UsageError) {
    say(`${error.message}\n`)
    return error.status
  }
  if (error instanceof ApiError) {
    const { error: body, status } = error
    const fields = (body?.fields ?? [])
      .filter(({ message }) => !body?.detail.includes(message))
      .map(({ message }) => `\n  ${message}`)
      .join('')
    say(`${body ? `${body.title}: ${body.detail}${fields}\n(request ${body.request_id})` : error.message}\n`)
    return status === 404 ? NOT_FOUND : 1
  }
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : ''
  say(`${error instanceof Error ? error.message : String(error)}${cause}\n`)
  return 1
}

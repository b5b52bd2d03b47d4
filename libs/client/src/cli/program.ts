import { Command } from 'commander'
import { VERSION } from '../version.ts'
import { addCatalogCommands } from './catalog.ts'
import { addCompletion } from './completion.ts'
import { addCsvCommands } from './csv.ts'
import { addEventCommands } from './events.ts'
import { addKeyCommands } from './key.ts'
import { addScanCommands } from './scan.ts'
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
  $ whereabouts export history --format parquet --output history
  $ whereabouts webhooks deliveries 4503599627370577 --state failed

Environment
  WHEREABOUTS_BASE, WHEREABOUTS_CLIENT_ID, WHEREABOUTS_CLIENT_SECRET  instead of "login"
  WHEREABOUTS_INSECURE_HTTP=true  allows http to another machine

Exit status
  0 done, 1 refused or failed, 2 wrong usage, 3 not found, 4 done in part, 130 stopped by Ctrl-C`

/** The command `whereabouts` with all that it can do. A wrong command line ends with status 2, as usual for commands. */
export function commandLine(): Command {
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
  return program
}

function everyCommand(command: Command): Command[] {
  return command.commands.flatMap((own) => [own, ...everyCommand(own)])
}

import type { Command } from 'commander'
import type { Request } from './request.ts'
import { EXAMPLES } from './examples.ts'
import { integer, webAddress } from './values.ts'

export type Found = (request: Request) => void
export type Json = { json?: true }

/** A command of the group, with what every command has. */
export const newCommand = (group: Command, name: Request['command']): Command =>
  group
    .command(name.slice(name.indexOf(' ') + 1))
    .option('--json', 'print the result as one JSON document')
    .addHelpText('after', `\nExample:\n  pnpm ops ${EXAMPLES[name]}`)

export const withPage = (command: Command): Command =>
  command
    .option('--limit <n>', 'rows at most, 1 to 1000', integer(1, 1_000), 100)
    .option('--offset <n>', 'rows to skip', integer(0, 1_000_000_000), 0)

/** The option of commands that print a link. */
export const CONSOLE = [
  '--console <address>',
  'where people open the console, like https://whereabouts.example',
  webAddress,
] as const

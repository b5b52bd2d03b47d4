#!/usr/bin/env node
import type { Command } from 'commander'
import { ApiError } from '../client.ts'
import { say } from './output.ts'
import { commandLine } from './program.ts'
import { NOT_FOUND, UsageError } from './settings.ts'

const HELP_OPTIONS = new Set(['--help', '-h'])
const program = commandLine()

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

import { parseArgs } from 'node:util'
import { ConfigError } from '@whereabouts/service-kit/env'
import { errorText } from './error-text.ts'

const EX_CONFIG = 78

/**
 * Runs a deployment step: prints the result of `main`, or `help` with `--help`. `flags`: its other flags, without a value. A failure prints the error and sets
 * the exit code: 78 for a wrong configuration, where a retry does not help, else 1.
 */
export async function runCommand<Flag extends string = never>(
  name: string,
  help: string,
  main: (given: Partial<Record<Flag, boolean>>) => Promise<string>,
  flags: readonly Flag[] = [],
): Promise<void> {
  try {
    const options = Object.fromEntries(flags.map((flag) => [flag, { type: 'boolean' as const }]))
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h' } } })
    const given = values as Partial<Record<Flag | 'help', boolean>>
    process.stdout.write(given.help ? help : `${await main(given)}\n`)
  } catch (error) {
    process.stderr.write(`${name} failed: ${errorText(error)}\n`)
    process.exitCode = error instanceof ConfigError ? EX_CONFIG : 1
  }
}

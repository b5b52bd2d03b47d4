import { parseArgs } from 'node:util'
import { ConfigError } from '@whereabouts/service-kit/env'
import { errorText } from './error-text.ts'

const EX_CONFIG = 78

/**
 * Runs a deployment step: prints the result of `main`, or `help` with `--help`. A failure prints the error and sets
 * the exit code: 78 for a wrong configuration, where a retry does not help, else 1.
 */
export async function runCommand(name: string, help: string, main: () => Promise<string>): Promise<void> {
  try {
    const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } })
    process.stdout.write(values.help ? help : `${await main()}\n`)
  } catch (error) {
    process.stderr.write(`${name} failed: ${errorText(error)}\n`)
    process.exitCode = error instanceof ConfigError ? EX_CONFIG : 1
  }
}

import { parseArgs } from 'node:util'
import { ConfigError } from '@whereabouts/service-kit/env'
import { errorText } from './error-text.ts'

const EX_CONFIG = 78

/**
 * The frame of a deployment step: `--help` prints `help`, a failure prints what went wrong and sets the exit code, 78
 * where the configuration is to be fixed and a retry is useless. What `main` returns is printed.
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

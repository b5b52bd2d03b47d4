import { parseArgs } from 'node:util'
import { ConfigError } from '@whereabouts/service-kit/service/env'
import { errorText } from './error-text.ts'

const EX_CONFIG = 78

/**
 * Runs a deployment step: prints the result of `main`, or `help` with `--help`. `flags`: its other flags, without a value; `texts`: those
 * with one. A failure prints the error and sets
 * the exit code: 78 for a wrong configuration, where a retry does not help, else 1.
 */
export async function runCommand<Flag extends string = never, Text extends string = never>(
  name: string,
  help: string,
  main: (given: Partial<Record<Flag, boolean> & Record<Text, string>>) => Promise<string>,
  flags: readonly Flag[] = [],
  texts: readonly Text[] = [],
): Promise<void> {
  try {
    const optionsOf = <T>(names: readonly string[], type: T) =>
      Object.fromEntries(names.map((each) => [each, { type }]))
    const options = { ...optionsOf(flags, 'boolean' as const), ...optionsOf(texts, 'string' as const) }
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h' } } })
    const given = values as Partial<Record<Flag | 'help', boolean> & Record<Text, string>>
    process.stdout.write(given.help ? help : `${await main(given)}\n`)
  } catch (error) {
    process.stderr.write(`${name} failed: ${errorText(error)}\n`)
    process.exitCode = error instanceof ConfigError ? EX_CONFIG : 1
  }
}

import { parseArgs } from 'node:util'
import { createLogger, type Logger } from '@whereabouts/service-kit/observe/logging'
import { start } from '@whereabouts/service-kit/service/run'
import { z } from 'zod'
import { openDatabase, type Database } from './database.ts'

type Command<T, F extends z.ZodRawShape, C extends { DATABASE_URL: string }> = {
  /** `service-command`; the database shows it as the name of the program. */
  name: string
  usage: string
  config: () => C
  /** Each flag has a value. `--help` is always there. */
  flags: F
  level: 'info' | 'warn'
  connections: number
  run: (given: {
    database: Database<T>
    flags: z.output<z.ZodObject<F>>
    config: C
    name: string
    log: Logger
  }) => Promise<void>
}

/** The frame of a program that an operator runs on the database of a service. */
export const runOnDatabase = <T, F extends z.ZodRawShape, C extends { DATABASE_URL: string }>(
  command: Command<T, F, C>,
): Promise<void> => {
  const { name, usage, config: readConfig, flags, level, connections, run } = command
  return start(name.replace('-', ' '), async () => {
    const named = Object.keys(flags).map((flag) => [flag, { type: 'string' }] as const)
    const { values } = parseArgs({ options: { help: { type: 'boolean' }, ...Object.fromEntries(named) } })
    if (values.help) {
      process.stdout.write(usage)
      return
    }
    const given = z.object(flags).parse(values)
    const config = readConfig()
    const log = createLogger(name, level)
    const database = openDatabase<T>(config.DATABASE_URL, { max: connections, name, log })
    await run({ database, flags: given, config, name, log }).finally(() => database.close())
  })
}

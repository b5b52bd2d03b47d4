import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { brokerEnv, databaseEnv, loadEnv } from '@whereabouts/service-kit/service/env'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import { runOnDatabase } from '../connect/command.ts'
import { startOutboxRelay, type OutboxPublish } from './outbox-relay.ts'
import type { StateLog } from './republish.ts'

type Stored = { subject: string; payload: unknown }

/** The stream of a service's states. */
type StateStream = {
  read(): AsyncIterable<Stored[]>
  empty(): Promise<void>
  publish: OutboxPublish
  close(): Promise<void>
}

const variables = z.object({ ...databaseEnv, ...brokerEnv })
type Config = z.output<typeof variables>

/** What a restore tells the operator. */
type Report = {
  /** Shows a line. */
  say: (line: string) => void
  /** Appends objects to a file of the report folder, and returns its path. */
  list: (file: string, items: readonly unknown[]) => string
}

type Restore<T, K extends string> = {
  usage: string
  environment: NodeJS.ProcessEnv
  states: StateLog<K>
  open: (config: Config, name: string, log: Logger) => Promise<StateStream>
  /** After a restored database: meets what is newer in the stream, which is emptied afterwards. */
  meetNewer: (db: Kysely<T>, stream: StateStream, report: Report) => Promise<void>
  summary: (totals: Record<K, number>) => string
}

const PACE = { atMost: 5_000, patienceMs: 60_000 }

/** The program that makes a stream of states equal to its database, while no service runs. Safe to run again. */
export const runRestore = <T, K extends string>(restore: Restore<T, K>): Promise<void> =>
  runOnDatabase<T, typeof flags, Config>({
    usage: restore.usage,
    name: `${restore.states.service}-restore`,
    flags,
    config: () => loadEnv(variables, restore.environment),
    level: 'warn',
    connections: 3,
    run: async ({ database, flags: { restored, report: folder }, config, name, log }) => {
      const { states, open, meetNewer, summary } = restore
      const { db, pool } = database
      const report = reportInto(folder, states.service)
      const stream = await open(config, name, log)
      try {
        if (restored === 'database') await meetNewer(db, stream, report)
        await states.forgetQueued(db)
        await stream.empty()
        const relay = startOutboxRelay({ pool, publish: stream.publish, log })
        const totals = await states.republishAll(db, { room: () => states.awaitRoom(db, PACE) })
        await states.awaitRoom(db, { ...PACE, atMost: 0 })
        await relay.stop()
        report.say(summary(totals))
      } finally {
        await stream.close()
      }
    },
  })

const flags = { restored: z.enum(['database', 'streams']), report: z.string().default('.') }

const reportInto = (folder: string, service: string): Report => ({
  say: (line) => void process.stdout.write(`${service}: ${line}\n`),
  list: (name, items) => {
    const file = join(folder, name)
    appendFileSync(file, items.map((item) => `${JSON.stringify(item)}\n`).join(''), { mode: 0o600 })
    return file
  },
})

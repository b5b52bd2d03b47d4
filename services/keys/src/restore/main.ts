import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { openDatabase } from '@whereabouts/db/connect/database'
import { startOutboxRelay } from '@whereabouts/db/outbox/outbox-relay'
import { brokerLogin, connect, type Broker } from '@whereabouts/messaging/connect/connection'
import { outboxPublish } from '@whereabouts/messaging/messages/publish'
import { emptyStream, readStream, type Stored } from '@whereabouts/messaging/state/restore'
import { brokerEnv, databaseEnv, loadEnv } from '@whereabouts/service-kit/service/env'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { start } from '@whereabouts/service-kit/service/run'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Db, KeysDatabase } from '../db.ts'
import { forgetQueued, listLiveKeys } from './newer.queries.ts'
import { sortStates } from './newer.ts'
import { publishAll } from './publish-all.ts'
import { reapply } from './reapply.ts'

const USAGE = `usage: node services/keys/src/restore/main.ts --restored database|streams [--report FOLDER]

Makes the KEYS stream equal to the database, while no service runs. A part of deploy/backup/after-restore.ts. After a
restored database, it first applies newer states of the stream: revoked keys, removed members, changed roles, limits and
subscriptions. All refresh tokens, invitations and reset links end. Safe to run again.

  --report FOLDER  for lists that an operator has to check, one JSON object per line
  DATABASE_URL     PostgreSQL, as the role of keys
  NATS_URL, NATS_USER, NATS_PASSWORD, NATS_CA_FILE   as for the service
`
const Flags = z.object({ restored: z.enum(['database', 'streams']), report: z.string().default('.') })

type Report = (file: string, items: readonly unknown[]) => void

await start('keys restore', async () => {
  const { values } = parseArgs({
    options: { help: { type: 'boolean' }, restored: { type: 'string' }, report: { type: 'string' } },
  })
  if (values.help) process.stdout.write(USAGE)
  else await restore(Flags.parse(values))
})

async function restore(flags: z.output<typeof Flags>): Promise<void> {
  const config = loadEnv(z.object({ ...databaseEnv, ...brokerEnv }), process.env)
  const log = createLogger('keys-restore', 'warn')
  const database = openDatabase<KeysDatabase>(config.DATABASE_URL, { max: 3, name: 'keys-restore', log })
  const broker = await connect({ ...brokerLogin(config), name: 'keys-restore', logger: log })
  try {
    if (flags.restored === 'database') await applyStream(database.db, broker, reportInto(flags.report))
    await forgetQueued(database.db)
    await emptyStream(broker, 'KEYS')
    const relay = startOutboxRelay({ pool: database.pool, publish: outboxPublish(broker, log), log })
    const { orgs, members, keys } = await publishAll(database.db)
    await untilPublished(database.db)
    await relay.stop()
    say(`KEYS equals the database: ${orgs} organizations, ${members} members, ${keys} keys`)
  } finally {
    await broker.close()
    await database.close()
  }
}

function reportInto(folder: string): Report {
  return (file, items) => {
    const lines = items.map((item) => `${JSON.stringify(item)}\n`).join('')
    appendFileSync(join(folder, file), lines, { mode: 0o600 })
  }
}

function say(line: string): void {
  process.stdout.write(`keys: ${line}\n`)
}

async function applyStream(db: Db, broker: Broker, report: Report): Promise<void> {
  const stored: Stored[] = []
  for await (const batch of readStream(broker, 'KEYS')) stored.push(...batch)
  const { states, unreadable } = sortStates(stored)
  const { changed, missing, sessions, invitations } = await reapply(db, states)
  for (const subject of unreadable) say(`cannot read ${subject}: check it by hand`)
  say(`${changed} newer states applied from the stream`)
  say(`${sessions} refresh tokens and ${invitations} invitations ended: users must log in again`)
  if (missing.length > 0) {
    report('keys-not-in-the-backup.jsonl', missing)
    say(
      `${missing.length} organizations, members or keys are missing in the backup: keys-not-in-the-backup.jsonl`,
    )
  }
  if (stored.length > 0) return
  // An empty stream has lost the revocations.
  const live = await listLiveKeys(db)
  report('keys-to-check.jsonl', live)
  say(`the stream has no revocations since the backup: check the ${live.length} keys in keys-to-check.jsonl`)
}

async function untilPublished(db: Db): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ queued: boolean }>`select exists (select from outbox) as queued`.execute(db)
    if (rows[0]?.queued !== true) return
    await delay(50)
  }
}

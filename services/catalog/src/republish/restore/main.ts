import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase } from '@whereabouts/db/connect/database'
import { skipIssued } from '@whereabouts/db/minted-ids'
import { startOutboxRelay } from '@whereabouts/db/outbox/outbox-relay'
import { brokerLogin, connect, type Broker } from '@whereabouts/messaging/connect/connection'
import { outboxPublish } from '@whereabouts/messaging/messages/publish'
import { emptyStream, readStream, type Stored } from '@whereabouts/messaging/state/restore'
import { brokerEnv, databaseEnv, loadEnv } from '@whereabouts/service-kit/service/env'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { start } from '@whereabouts/service-kit/service/run'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Tables } from '../../db.ts'
import { republishAll } from '../republish.batches.ts'
import { awaitRoom } from '../republish.pace.ts'
import { findLost, dropQueuedStates, type Kind, type State } from './lost.queries.ts'

const USAGE = `usage: node services/catalog/src/republish/restore/main.ts --restored database|streams [--report FOLDER]

Makes the CATALOG stream equal to the database, while no service runs. A step of deploy/backup/after-restore.ts. After
the restore of a database, it first writes the states of assets, locations and tags that are newer in the stream to
catalog-not-in-the-backup.jsonl: the stream loses them. Safe to repeat.

  --report FOLDER  folder of that file, which has one JSON object per line
  DATABASE_URL     PostgreSQL, as the role of catalog
  NATS_URL, NATS_USER, NATS_PASSWORD, NATS_CA_FILE   as for the service
`
const Flags = z.object({ restored: z.enum(['database', 'streams']), report: z.string().default('.') })
const PACE = { atMost: 5_000, patienceMs: 60_000 }
const ROWS_AT_ONCE = 500

await start('catalog restore', async () => {
  const { values } = parseArgs({
    options: { help: { type: 'boolean' }, restored: { type: 'string' }, report: { type: 'string' } },
  })
  if (values.help) process.stdout.write(USAGE)
  else await restore(Flags.parse(values))
})

async function restore({ restored, report }: z.output<typeof Flags>): Promise<void> {
  const config = loadEnv(z.object({ ...databaseEnv, ...brokerEnv }), process.env)
  const log = createLogger('catalog-restore', 'warn')
  const database = openDatabase<Tables>(config.DATABASE_URL, { max: 3, name: 'catalog-restore', log })
  const { db } = database
  const broker = await connect({ ...brokerLogin(config), name: 'catalog-restore', logger: log })
  try {
    if (restored === 'database') {
      await skipIssued(db)
      await reportLost(db, broker, join(report, 'catalog-not-in-the-backup.jsonl'))
    }
    await dropQueuedStates(db)
    await emptyStream(broker, 'CATALOG')
    const relay = startOutboxRelay({ pool: database.pool, publish: outboxPublish(broker, log), log })
    const totals = await republishAll(db, { batchSize: ROWS_AT_ONCE, room: () => awaitRoom(db, PACE) })
    await awaitRoom(db, { ...PACE, atMost: 0 })
    await relay.stop()
    const { asset, location, tag } = totals
    say(`the CATALOG stream equals the database: ${asset} assets, ${location} locations, ${tag} tags`)
  } finally {
    await broker.close()
    await database.close()
  }
}

function say(line: string): void {
  process.stdout.write(`catalog: ${line}\n`)
}

async function reportLost(db: Kysely<Tables>, broker: Broker, file: string): Promise<void> {
  let lost = 0
  for await (const batch of readStream(broker, 'CATALOG'))
    for (const kind of ['asset', 'location', 'tag'] as const) {
      const states = await findLost(db, kind, statesOf(kind, batch))
      const lines = states.map((state) => `${JSON.stringify({ kind, state })}\n`).join('')
      if (states.length > 0) appendFileSync(file, lines, { mode: 0o600 })
      lost += states.length
    }
  if (lost === 0) return say('the stream contains nothing newer than the backup')
  say(`${lost} assets, locations or tags were created or changed after the backup: ${file}`)
}

function statesOf(kind: Kind, batch: readonly Stored[]): State[] {
  const own = batch.filter(({ subject }) => subject.startsWith(`catalog.${kind}.`))
  return own.map(({ payload }) => payload as State)
}

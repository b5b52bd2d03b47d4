import { parseArgs } from 'node:util'
import { openDatabase } from '@whereabouts/db/connect/database'
import { databaseEnv, loadEnv } from '@whereabouts/service-kit/service/env'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { start } from '@whereabouts/service-kit/service/run'
import { z } from 'zod'
import type { Tables } from '../db.ts'
import { republishAll } from './republish.batches.ts'
import { awaitRoom } from './republish.pace.ts'

const USAGE = `usage: node src/republish/main.ts [--batch-size N]

Queues the state of every location, asset and tag again, for a lost CATALOG stream or projection. The running service
publishes them. Safe while the service runs, and safe to repeat.

It waits while more than --queue messages are unpublished, so that new changes are published soon. It fails if no
message is published for --patience seconds. A second run starts from the beginning.

  --batch-size N   rows per transaction, 1 to 1000 (default 200)
  --queue N        messages that may wait to be published (default 5000)
  --patience S     seconds without progress until it fails (default 60)
  --help           this text
  DATABASE_URL     PostgreSQL, as the role of this service
`

const Options = z.object({
  'batch-size': z.coerce.number().int().min(1).max(1000),
  queue: z.coerce.number().int().min(0).max(1_000_000),
  patience: z.coerce.number().int().min(1).max(86_400),
})

await start('catalog republish', async () => {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean' },
      'batch-size': { type: 'string', default: '200' },
      queue: { type: 'string', default: '5000' },
      patience: { type: 'string', default: '60' },
    },
  })
  if (values.help) {
    process.stdout.write(USAGE)
    return
  }
  const { 'batch-size': batchSize, queue, patience } = Options.parse(values)
  const config = loadEnv(z.object(databaseEnv), process.env)
  const log = createLogger('catalog-republish', 'info')
  const database = openDatabase<Tables>(config.DATABASE_URL, { max: 1, name: 'catalog-republish', log })
  const pace = { atMost: queue, patienceMs: patience * 1000 }
  try {
    const totals = await republishAll(database.db, {
      batchSize,
      room: () => awaitRoom(database.db, pace),
      onBatch: (kind, total) => log.info({ kind, total }, 'batch queued'),
    })
    await awaitRoom(database.db, { ...pace, atMost: 0 })
    log.info(totals, 'everything published')
  } finally {
    await database.close()
  }
})

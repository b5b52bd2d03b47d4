import { runOnDatabase } from '@whereabouts/db/connect/command'
import { databaseEnv, loadEnv } from '@whereabouts/service-kit/service/env'
import { z } from 'zod'
import { awaitRoom, republishAll } from './states.ts'

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

await runOnDatabase({
  name: 'catalog-republish',
  usage: USAGE,
  config: () => loadEnv(z.object(databaseEnv), process.env),
  flags: {
    'batch-size': z.coerce.number().int().min(1).max(1000).default(200),
    queue: z.coerce.number().int().min(0).max(1_000_000).default(5000),
    patience: z.coerce.number().int().min(1).max(86_400).default(60),
  },
  level: 'info',
  connections: 1,
  run: async ({ database: { db }, flags, log }) => {
    const pace = { atMost: flags.queue, patienceMs: flags.patience * 1000 }
    const totals = await republishAll(db, {
      batchSize: flags['batch-size'],
      room: () => awaitRoom(db, pace),
      onBatch: (kind, total) => log.info({ kind, total }, 'batch queued'),
    })
    await awaitRoom(db, { ...pace, atMost: 0 })
    log.info(totals, 'everything published')
  },
})

import { parseArgs } from 'node:util'
import { openDatabase } from '@whereabouts/db/database'
import { databaseEnv, loadEnv } from '@whereabouts/service-kit/env'
import { createLogger } from '@whereabouts/service-kit/logging'
import { start } from '@whereabouts/service-kit/run'
import { z } from 'zod'
import type { Tables } from './db.ts'
import { republishAll } from './republish/republish.batches.ts'

const USAGE = `usage: node src/republish.ts [--batch-size N]

Puts the state of every location, asset and tag into the outbox once more, from where the running service publishes
it: for a CATALOG stream or a projection that was lost. Safe while the service works, and to repeat.

  --batch-size N   rows per transaction, 1 to 1000 (default 200)
  --help           this text
  DATABASE_URL     PostgreSQL, as the role of this service
`

const BatchSize = z.coerce.number().int().min(1).max(1000)

await start('catalog republish', async () => {
  const { values } = parseArgs({
    options: { help: { type: 'boolean' }, 'batch-size': { type: 'string', default: '200' } },
  })
  if (values.help) {
    process.stdout.write(USAGE)
    return
  }
  const batchSize = BatchSize.parse(values['batch-size'])
  const config = loadEnv(z.object(databaseEnv), process.env)
  const log = createLogger('catalog-republish', 'info')
  const database = openDatabase<Tables>(config.DATABASE_URL, { max: 1, name: 'catalog-republish', log })
  try {
    const onBatch = (kind: string, total: number) => log.info({ kind, total }, 'batch queued')
    log.info(await republishAll(database.db, { batchSize, onBatch }), 'everything queued')
  } finally {
    await database.close()
  }
})

import { parseArgs } from 'node:util'
import { openDatabase } from '@whereabouts/db/connect/database'
import { databaseEnv, loadEnv } from '@whereabouts/service-kit/service/env'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { start } from '@whereabouts/service-kit/service/run'
import { z } from 'zod'
import type { KeysDatabase } from './db.ts'
import { publishAll } from './restore/publish-all.ts'

const USAGE = `usage: node src/republish.ts

Puts the state of every organization, member and key into the outbox again, for the running service to publish. For a
KEYS stream that was lost or has unreadable states. Safe while the service runs, and to repeat.

  --help           this text
  DATABASE_URL     PostgreSQL, as the role of this service
`

await start('keys republish', async () => {
  const { values } = parseArgs({ options: { help: { type: 'boolean' } } })
  if (values.help) {
    process.stdout.write(USAGE)
    return
  }
  const config = loadEnv(z.object(databaseEnv), process.env)
  const log = createLogger('keys-republish', 'info')
  const database = openDatabase<KeysDatabase>(config.DATABASE_URL, { max: 1, name: 'keys-republish', log })
  try {
    log.info(await publishAll(database.db), 'all states queued')
  } finally {
    await database.close()
  }
})

import { runOnDatabase } from '@whereabouts/db/connect/command'
import { databaseEnv, loadEnv } from '@whereabouts/service-kit/service/env'
import { z } from 'zod'
import { publishAll } from './restore/states.ts'

const USAGE = `usage: node src/republish.ts

Puts the state of every organization, member and key into the outbox again, for the running service to publish. For a
KEYS stream that was lost or has unreadable states. Safe while the service runs, and to repeat.

  --help           this text
  DATABASE_URL     PostgreSQL, as the role of this service
`

await runOnDatabase({
  name: 'keys-republish',
  usage: USAGE,
  config: () => loadEnv(z.object(databaseEnv), process.env),
  flags: {},
  level: 'info',
  connections: 1,
  run: async ({ database, log }) => log.info(await publishAll(database.db), 'all states queued'),
})

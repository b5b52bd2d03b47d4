import { runRestore } from '@whereabouts/db/outbox/restore'
import { openStream, type Stored } from '@whereabouts/messaging/state/restore'
import type { Db } from '../db.ts'
import { listLiveKeys } from './newer.queries.ts'
import { reapply, sortStates } from './reapply.ts'
import { keysStates } from './states.ts'

const USAGE = `usage: node services/keys/src/restore/main.ts --restored database|streams [--report FOLDER]

Makes the KEYS stream equal to the database, while no service runs. A part of deploy/backup/after-restore.ts. After a
restored database, it first applies newer states of the stream: revoked keys, removed members, changed roles, limits and
subscriptions. All refresh tokens, invitations and reset links end. Safe to run again.

  --report FOLDER  for lists that an operator has to check, one JSON object per line
  DATABASE_URL     PostgreSQL, as the role of keys
  NATS_URL, NATS_USER, NATS_PASSWORD, NATS_CA_FILE   as for the service
`
await runRestore({
  usage: USAGE,
  environment: process.env,
  states: keysStates,
  open: openStream('KEYS'),
  meetNewer: async (db: Db, stream, { say, list }) => {
    const stored: Stored[] = []
    for await (const batch of stream.read()) stored.push(...batch)
    const { states, unreadable } = sortStates(stored)
    const { changed, missing, sessions, invitations } = await reapply(db, states)
    for (const subject of unreadable) say(`cannot read ${subject}: check it by hand`)
    say(`${changed} newer states applied from the stream`)
    say(`${sessions} refresh tokens and ${invitations} invitations ended: users must log in again`)
    if (missing.length > 0) {
      list('keys-not-in-the-backup.jsonl', missing)
      say(
        `${missing.length} organizations, members or keys are missing in the backup: keys-not-in-the-backup.jsonl`,
      )
    }
    if (stored.length > 0) return
    // An empty stream has lost the revocations.
    const live = await listLiveKeys(db)
    list('keys-to-check.jsonl', live)
    say(
      `the stream has no revocations since the backup: check the ${live.length} keys in keys-to-check.jsonl`,
    )
  },
  summary: ({ org, member, key }) =>
    `KEYS equals the database: ${org} organizations, ${member} members, ${key} keys`,
})

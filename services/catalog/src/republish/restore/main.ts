import { skipIssued } from '@whereabouts/db/minted-ids'
import { runRestore } from '@whereabouts/db/outbox/restore'
import { openStream, type Stored } from '@whereabouts/messaging/state/restore'
import type { Tables } from '../../db.ts'
import { catalogStates } from '../states.ts'
import { findLost, KINDS, type Kind, type State } from './lost.queries.ts'

const USAGE = `usage: node services/catalog/src/republish/restore/main.ts --restored database|streams [--report FOLDER]

Makes the CATALOG stream equal to the database, while no service runs. A step of deploy/backup/after-restore.ts. After
the restore of a database, it first writes the states of assets, locations and tags that are newer in the stream to
catalog-not-in-the-backup.jsonl: the stream loses them. Safe to repeat.

  --report FOLDER  folder of that file, which has one JSON object per line
  DATABASE_URL     PostgreSQL, as the role of catalog
  NATS_URL, NATS_USER, NATS_PASSWORD, NATS_CA_FILE   as for the service
`
await runRestore<Tables, Kind>({
  usage: USAGE,
  environment: process.env,
  states: catalogStates,
  open: openStream('CATALOG'),
  meetNewer: async (db, stream, { say, list }) => {
    await skipIssued(db)
    let lost = 0
    let file = ''
    for await (const batch of stream.read())
      for (const kind of KINDS) {
        const states = await findLost(db, kind, statesOf(kind, batch))
        if (states.length > 0)
          file = list(
            'catalog-not-in-the-backup.jsonl',
            states.map((state) => ({ kind, state })),
          )
        lost += states.length
      }
    if (lost === 0) return say('the stream contains nothing newer than the backup')
    say(`${lost} assets, locations or tags were created or changed after the backup: ${file}`)
  },
  summary: ({ asset, location, tag }) =>
    `the CATALOG stream equals the database: ${asset} assets, ${location} locations, ${tag} tags`,
})

function statesOf(kind: Kind, batch: readonly Stored[]): State[] {
  const own = batch.filter(({ subject }) => subject.startsWith(`catalog.${kind}.`))
  return own.map(({ payload }) => payload as State)
}

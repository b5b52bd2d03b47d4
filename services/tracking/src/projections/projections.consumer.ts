import type { BatchConsumer } from '@whereabouts/messaging/consumer'
import { decodeWith } from '@whereabouts/messaging/decode'
import type { Kysely } from 'kysely'
import { isDatabaseOutage } from '@whereabouts/db/outage'
import type { Tables } from '../db.ts'
import { forgetTags } from '../unknown-tags/unknown-tags.queries.ts'
import { readCatalogMessage, type CatalogMessage } from './catalog-message.ts'
import { upsertAssets, upsertLocations, upsertTags } from './projections.queries.ts'

/** Keeps the projection tables, which reports join, up to date. All replicas share this work. */
export const projectionsConsumer = ({ db }: { db: Kysely<Tables> }): BatchConsumer<CatalogMessage> => ({
  durable: 'tracking-catalog',
  maxMessages: 500,
  maxWaitMs: 5,
  isOutage: isDatabaseOutage,
  decode: decodeWith('a catalog state', (payload, subject) => readCatalogMessage(subject, payload)),
  async handle(messages) {
    const states = <K extends CatalogMessage['kind']>(kind: K) =>
      messages.flatMap((m) =>
        m.kind === kind ? [m.state as Extract<CatalogMessage, { kind: K }>['state']] : [],
      )
    await upsertLocations(db, states('location'))
    await upsertAssets(db, states('asset'))
    await upsertTags(db, states('tag'))
    await forgetTags(db, states('tag'))
  },
})

import type { BatchConsumer } from '@whereabouts/messaging/consume/consumer'
import { decodeWith } from '@whereabouts/messaging/consume/decode'
import type { Kysely } from 'kysely'
import { isDatabaseOutage } from '@whereabouts/db/connect/outage'
import type { LocationPlace, TagState, TypedAsset } from '@whereabouts/contracts/messages/catalog-state'
import type { Db, Tables } from '../db.ts'
import { readCatalogMessage, type CatalogMessage } from './catalog-message.ts'
import { upsertAssets, upsertLocations, upsertTags } from './projections.queries.ts'

/** Keeps the projection tables up to date. All replicas share this work. */
type Deps = {
  db: Kysely<Tables>
  /** Called after these tags were stored. */
  onTags: (db: Db, tags: readonly TagState[]) => Promise<void>
  /** Called after these assets and locations were stored. */
  onStored?: (assets: readonly TypedAsset[], locations: readonly LocationPlace[]) => Promise<void>
}

export const projectionsConsumer = ({ db, onTags, onStored }: Deps): BatchConsumer<CatalogMessage> => ({
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
    await onTags(db, states('tag'))
    await onStored?.(states('asset'), states('location'))
  },
})

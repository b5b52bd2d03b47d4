import { assetState, locationState, tagState } from '@whereabouts/contracts/messages/catalog-state'
import { republishCatalogState } from '@whereabouts/contracts/messages/republish-state'
import { stateLog, states } from '@whereabouts/db/outbox/republish'
import { answering } from '@whereabouts/messaging/messages/request'
import type { Kysely } from 'kysely'
import { toAssetState, toLocationState, toTagState } from '../changes/messages/states.ts'
import type { Tables } from '../db.ts'

const key = ['org_id', 'id'] as const

/** The states of the CATALOG stream, including those of deleted rows. */
export const catalogStates = stateLog('catalog', {
  location: states({ table: 'location', key, message: locationState, toState: toLocationState }),
  asset: states({ table: 'asset', key, message: assetState, toState: toAssetState }),
  tag: states({ table: 'tag', key, message: tagState, toState: toTagState }),
})
export const { republishAll, awaitRoom, forgetQueued: dropQueuedStates } = catalogStates

/** Answers `rpc.catalog.republish-state`: publishes the stored state of a CATALOG subject again. */
export const { answer: republishState, serve: serveRepublish } = answering(
  republishCatalogState,
  'not a request for a state',
  async (db: Kysely<Tables>, { subject }) => ({ published: await catalogStates.republishOne(db, subject) }),
)

import { assetState, locationState, tagState } from '@whereabouts/contracts/messages/catalog-state'
import { stateLog, states } from '@whereabouts/db/outbox/republish'
import { toAssetState } from '../assets/assets.views.ts'
import { toLocationState } from '../locations/locations.views.ts'
import { toTagState } from '../tags/tags.views.ts'

const key = ['org_id', 'id'] as const

/** The states of the CATALOG stream, including those of deleted rows. */
export const catalogStates = stateLog('catalog', {
  location: states({ table: 'location', key, message: locationState, toState: toLocationState }),
  asset: states({ table: 'asset', key, message: assetState, toState: toAssetState }),
  tag: states({ table: 'tag', key, message: tagState, toState: toTagState }),
})
export const { republishAll, awaitRoom, forgetQueued: dropQueuedStates } = catalogStates

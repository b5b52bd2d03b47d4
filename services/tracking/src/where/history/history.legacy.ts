import type { HistoryRow } from '@whereabouts/contracts/resources/tracking/tracking'
import type { LegacyHistoryRow } from '@whereabouts/contracts/legacy/tracking'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import { assetNotFound } from '../../errors.ts'
import type { FindAssetId } from '../../catalog/finders.ts'
import { readHistory, type HistoryDeps } from './history.handlers.ts'

/** The legacy vocabulary of history: translates to the current one and back. */
export const legacyHistoryHandlers = ({
  findAssetId,
  ...deps
}: Omit<HistoryDeps, 'findAsset'> & { findAssetId: FindAssetId }): Pick<
  Handlers<'tracking'>,
  'getLegacyAssetHistory'
> => ({
  async getLegacyAssetHistory({ principal: { orgId }, params: { identifier }, query }) {
    const assetId = await findAssetId(orgId, identifier)
    if (assetId === undefined) throw assetNotFound()
    const page = await readHistory(deps, orgId, assetId, query)
    return { ...page, data: page.data.map(toLegacyRow) }
  },
})

const toLegacyRow = ({
  location_external_key,
  event_observed_at,
  duration_seconds,
}: HistoryRow): LegacyHistoryRow => ({
  location: location_external_key,
  timestamp: event_observed_at,
  duration_seconds,
})

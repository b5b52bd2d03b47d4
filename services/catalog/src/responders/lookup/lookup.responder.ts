import { catalogLookup, type PublishedLookupReply } from '@whereabouts/contracts/messages/catalog-lookup'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { answering, RefusedError } from '@whereabouts/messaging/messages/request'
import { toAssetState, toLocationState, toTagState } from '../../changes/messages/states.ts'
import type { Tables } from '../../db.ts'
import { findAssets, findAssetsByKey, findLocations, findMatchingTags } from './lookup.queries.ts'

/** Below the broker's limit of 1 MiB per message, minus the envelope. */
const MAX_REPLY_BYTES = 1_000_000

const isText = (text: string) => !text.includes('\u0000') && text.isWellFormed()
const isStorable = (tag: { tag_type: string; value: string }) => isText(tag.tag_type) && isText(tag.value)

/** Answers `rpc.catalog.lookup`. Refuses replies that exceed one message. */
export const { answer: lookUp, serve: serveLookups } = answering(
  catalogLookup,
  'not a lookup request',
  async (
    tenants: TenantDatabase<Tables>,
    { org_id: orgId, tags: read, asset_ids, asset_keys, location_ids, location_keys },
  ): Promise<PublishedLookupReply> => {
    const db = tenants.forOrg(orgId)
    // Readers may send texts that PostgreSQL cannot store. No tag can have such a value.
    const tags = await findMatchingTags(db, orgId, read.filter(isStorable)) // oxfmt-ignore
    const owners = (column: 'asset_id' | 'location_id') => tags.flatMap((tag) => tag[column] ?? [])
    const assets = await findAssets(db, orgId, [...asset_ids, ...owners('asset_id')])
    const locationIds = [...location_ids, ...owners('location_id')]
    const [locations, byKey] = await Promise.all([
      findLocations(db, orgId, locationIds, location_keys.filter(isText)),
      asset_keys && findAssetsByKey(db, orgId, asset_keys.filter(isText)),
    ])
    const reply = {
      assets: assets.map(toAssetState),
      locations: locations.map(toLocationState),
      tags: tags.map(toTagState),
      ...(byKey && { assets_by_key: byKey }),
    }
    if (Buffer.byteLength(JSON.stringify(reply)) > MAX_REPLY_BYTES)
      throw new RefusedError('the reply is too large; ask for fewer at a time')
    return reply
  },
)

import { locationState, tagState } from '@whereabouts/contracts/messages/catalog-state'
import { API_PREFIX } from '@whereabouts/contracts/routes'
import { enqueue } from '@whereabouts/db/outbox'
import { Answer, type Handlers } from '@whereabouts/service-kit/serve'
import type { HandlerDeps } from '../change.ts'
import { locationHasChildren, locationNotFound } from '../errors.ts'
import { settleKey } from '../keys/keys.queries.ts'
import { pageOf } from '../lists/conditions.ts'
import { deleteTagsOf, insertTags, listTags } from '../tags/tags.queries.ts'
import { toTagState } from '../tags/tags.views.ts'
import {
  deleteLocation,
  findLocation,
  hasLiveChildren,
  insertLocation,
  listLocations,
  lockLocation,
} from './locations.queries.ts'
import { toLocationState, toLocationView } from './locations.views.ts'
import { resolveParent } from './parents.ts'

export const locationHandlers = ({ db, change }: HandlerDeps) =>
  ({
    async listLocations({ principal: { orgId }, query }) {
      const { rows, total } = await listLocations(db.forOrg(orgId), orgId, query)
      const tags = await listTags(db.forOrg(orgId), orgId, 'location_id', rows.map((row) => row.id)) // prettier-ignore
      const tagsOf = Map.groupBy(tags, (tag) => tag.location_id)
      const data = rows.map((row) => toLocationView(row, tagsOf.get(row.id) ?? []))
      return { data, ...pageOf(query), total_count: total }
    },

    async createLocation({ principal: { orgId }, body }) {
      const { tags: wanted, external_key, parent_id, parent_external_key, ...fields } = body
      const view = await change(orgId, async (tx) => {
        const parent = await resolveParent(tx, orgId, { parent_id, parent_external_key })
        const key = await settleKey(tx, orgId, 'location', external_key)
        const row = { ...fields, external_key: key, parent_id: parent?.id ?? null }
        const location = await insertLocation(tx, orgId, row)
        const tags = await insertTags(tx, orgId, { location_id: location.id }, wanted ?? [])
        await enqueue(tx, locationState, [toLocationState(location)])
        await enqueue(tx, tagState, tags.map(toTagState))
        return toLocationView({ ...location, parent_external_key: parent?.external_key ?? null }, tags)
      })
      return new Answer({ data: view }, { location: `${API_PREFIX}/locations/${view.id}` })
    },

    async getLocation({ principal: { orgId }, params: { location_id } }) {
      const location = await findLocation(db.forOrg(orgId), orgId, location_id)
      if (!location) throw locationNotFound()
      return {
        data: toLocationView(location, await listTags(db.forOrg(orgId), orgId, 'location_id', [location.id])),
      }
    },

    async deleteLocation({ principal: { orgId }, params: { location_id } }) {
      await change(orgId, async (tx) => {
        const stored = await lockLocation(tx, orgId, location_id)
        if (!stored) throw locationNotFound()
        if (await hasLiveChildren(tx, orgId, location_id)) throw locationHasChildren(stored.external_key)
        const location = await deleteLocation(tx, orgId, location_id)
        const tags = await deleteTagsOf(tx, orgId, { location_id })
        await enqueue(tx, locationState, [toLocationState(location)])
        await enqueue(tx, tagState, tags.map(toTagState))
      })
      return undefined
    },
  }) satisfies Partial<Handlers<'catalog'>>

import { namesWith, pick } from '@whereabouts/contracts/rules/fields'
import {
  locationFields,
  LocationPatch,
  type LocationView,
} from '@whereabouts/contracts/resources/catalog/locations'
import { API_PREFIX } from '@whereabouts/contracts/routes'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { rejectIfAny } from '@whereabouts/service-kit/errors/errors'
import { checkIfMatch, entityTag } from '@whereabouts/service-kit/http/headers/conditions'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import { enqueueChanges } from '../changes/messages/enqueue-changes.ts'
import type { Db, Tx } from '../db.ts'
import { locationHasChildren, locationNotFound } from '../errors.ts'
import { lockKeys, assignKey, lockNameFor } from '../tags/external-keys/external-keys.queries.ts'
import { pageOf } from '../lists/conditions.ts'
import { created, deleted, updated } from '../changes/messages/changes.ts'
import { inSchemaOrder, movedBounds, storedRowProblems, type Stored } from '../changes/patch/patch.rules.ts'
import { deleteTagsOf, insertTags, listTags } from '../tags/tags.queries.ts'
import { runOnce, type HandlerDeps } from '../changes/transactions/transactions.ts'
import { listLocations } from './locations.lists.ts'
import {
  deleteLocation,
  findLocation,
  hasLiveChildren,
  insertLocation,
  lockLocation,
  updateLocation,
  type LocationChanges,
} from './locations.queries.ts'
import { toLocationView } from './locations.views.ts'
import { countDescendants, lockTree } from './moves.queries.ts'
import { findMove, namesParent, resolveParent } from './parents.ts'

const writable = namesWith(locationFields, 'writable')

export const locationHandlers = ({ db, runInTransaction }: HandlerDeps) =>
  ({
    async listLocations({ principal: { orgId }, query }) {
      const { rows, total } = await listLocations(db.forOrg(orgId), orgId, query)
      const data = rows.map((row) => toLocationView(row, row.tags))
      return { data, ...pageOf(query), total_count: total }
    },

    async createLocation(context) {
      const {
        principal: { orgId },
        body,
      } = context
      const { tags: wanted, external_key } = body
      const create = async (tx: Tx) => {
        const parent = await resolveParent(tx, orgId, body)
        const key = await assignKey(tx, orgId, 'location', external_key)
        const row = { ...pick(body, writable), external_key: key, parent_id: parent?.id ?? null }
        const location = await insertLocation(tx, orgId, row)
        const tags = await insertTags(tx, orgId, { location_id: location.id }, wanted ?? [])
        const view = toLocationView({ ...location, parent_external_key: parent?.external_key ?? null }, tags)
        await enqueueChanges(tx, created('location', location, view, tags))
        return new Reply({ data: view }, { location: `${API_PREFIX}/locations/${view.id}` })
      }
      return runOnce(runInTransaction, context, create, lockNameFor('location', external_key))
    },

    async getLocation({ principal: { orgId }, params: { location_id } }) {
      return tagged(await readLocation(db.forOrg(orgId), orgId, location_id))
    },

    async updateLocation({ principal: { orgId }, params: { location_id }, body, ifMatch }) {
      const lockName = namesParent(body) ? 'location tree' : undefined
      const update = async (tx: Tx) => {
        if (lockName) await lockTree(tx, orgId)
        const row = await lockLocation(tx, orgId, location_id)
        if (!row) throw locationNotFound()
        await checkState(tx, orgId, location_id, ifMatch)
        const stored = { ...row, tags: await listTags(tx, orgId, 'location_id', [location_id]) }
        const move = lockName ? await findMove(tx, orgId, row, body) : {}
        const unresolved = move instanceof AppError ? (move.fields ?? []) : []
        rejectIfAny(inSchemaOrder(LocationPatch, [...storedRowProblems(stored, body), ...unresolved]))
        if (move instanceof AppError) throw move
        const changes = { ...changesOf(stored, body), ...move }
        const location = await updateLocation(tx, orgId, location_id, changes)
        const view = toLocationView(location, stored.tags)
        await enqueueChanges(tx, updated('location', location, view, row))
        return view
      }
      return tagged(await runInTransaction(orgId, update, lockName))
    },

    async renameLocation({ principal: { orgId }, params: { location_id }, body: { external_key } }) {
      // Counted before the locks: a tree may be large, and the next request makes the number outdated anyway.
      const affected = await countDescendants(db.forOrg(orgId), orgId, location_id)
      const rename = async (tx: Tx) => {
        const stored = await lockLocation(tx, orgId, location_id)
        if (!stored) throw locationNotFound()
        if (stored.external_key === external_key) return readLocation(tx, orgId, location_id)
        await lockKeys(tx, orgId, 'location')
        const location = await updateLocation(tx, orgId, location_id, { external_key })
        const view = await readLocation(tx, orgId, location_id)
        await enqueueChanges(tx, updated('location', location, view, stored))
        return view
      }
      return {
        data: await runInTransaction(orgId, rename, 'location keys'),
        descendant_count_affected: affected,
      }
    },

    async deleteLocation({ principal: { orgId }, params: { location_id }, ifMatch }) {
      await runInTransaction(orgId, async (tx) => {
        const stored = await lockLocation(tx, orgId, location_id)
        if (!stored) throw locationNotFound()
        await checkState(tx, orgId, location_id, ifMatch)
        if (await hasLiveChildren(tx, orgId, location_id)) throw locationHasChildren(stored.external_key)
        const location = await deleteLocation(tx, orgId, location_id)
        const tags = await deleteTagsOf(tx, orgId, { location_id })
        await enqueueChanges(tx, deleted('location', location, tags))
      })
      return undefined
    },
  }) satisfies Partial<Handlers<'catalog'>>

const tagged = (view: LocationView) => new Reply({ data: view }, { etag: entityTag(view) })

/** Throws 412 if `If-Match` names another state. Call under `lockLocation`. The key of the parent is part of the state. */
async function checkState(tx: Tx, orgId: number, id: number, ifMatch: string | undefined): Promise<void> {
  if (ifMatch === undefined) return
  const view = await readLocation(tx, orgId, id)
  checkIfMatch(ifMatch, view)
}

async function readLocation(db: Db, orgId: number, id: number): Promise<LocationView> {
  const location = await findLocation(db, orgId, id)
  if (!location) throw locationNotFound()
  return toLocationView(location, location.tags)
}

/** The columns that a PATCH writes, except the parent. It does not write read-only fields that a client sends back. */
const changesOf = (stored: Stored, body: LocationPatch): LocationChanges => ({
  ...pick(body, writable),
  ...movedBounds(stored, body),
})

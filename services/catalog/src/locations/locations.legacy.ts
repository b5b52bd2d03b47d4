import type {
  LegacyLocationCreate,
  LegacyLocationListQuery,
  LegacyLocationUpdate,
  LegacyLocationView,
} from '@whereabouts/contracts/legacy/locations'
import type {
  LocationCreate,
  LocationPatch,
  LocationView,
} from '@whereabouts/contracts/resources/catalog/locations'
import { LEGACY_PREFIX } from '@whereabouts/contracts/routes'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import type { Db, Tx } from '../db.ts'
import { inLegacyTerms } from '../errors.legacy.ts'
import { locationNotFound } from '../errors.ts'
import { getIdByKey, lockIdByKey, lockNameFor } from '../tags/external-keys/external-keys.queries.ts'
import { pageOf } from '../lists/conditions.ts'
import { toCurrentSort } from '../lists/sort.legacy.ts'
import { replaceTags, toLegacyIdentifier, toTagCreate } from '../tags/tags.legacy.ts'
import { usingTransaction, type HandlerDeps } from '../changes/transactions/transactions.ts'
import { locationHandlers } from './locations.handlers.ts'
import { listLocations } from './locations.lists.ts'
import { toLocationView } from './locations.views.ts'
import { MAX_LEVELS, pathsAmong, type TreePath } from './paths.legacy.ts'
import { listPageAncestors } from './paths.queries.ts'

/** The legacy vocabulary of locations: translates to and from the current handlers. */
export const legacyLocationHandlers = ({ db, runInTransaction }: HandlerDeps) => {
  const current = locationHandlers({ db, runInTransaction })
  return {
    async listLegacyLocations({ principal: { orgId }, query }) {
      const at = db.forOrg(orgId)
      const { rows, total } = await listLocations(at, orgId, toLocationQuery(query))
      const views = rows.map((row) => toLocationView(row, row.tags))
      return { data: await toLegacyLocations(at, orgId, views), ...pageOf(query), total_count: total }
    },

    async createLegacyLocation({ body, ...context }) {
      const { orgId } = context.principal
      const create = async (tx: Tx) => {
        const inside = locationHandlers(usingTransaction(tx))
        const created = await inside.createLocation({ ...context, body: toLocationCreate(body) })
        return toLegacyLocation(tx, orgId, created.body.data)
      }
      const lockName = lockNameFor('location', body.identifier)
      const data = await inLegacyTerms(async () => runInTransaction(orgId, create, lockName))
      return new Reply({ data }, { location: `${LEGACY_PREFIX}/locations/${data.identifier}` })
    },

    async getLegacyLocation({ params: { identifier }, ...context }) {
      const { orgId } = context.principal
      const location_id = await getIdByKey(db.forOrg(orgId), orgId, 'location', identifier)
      const { data } = (await current.getLocation({ ...context, params: { location_id } })).body
      if (data.external_key !== identifier) throw locationNotFound() // renamed between the two statements
      return { data: await toLegacyLocation(db.forOrg(orgId), orgId, data) }
    },

    async updateLegacyLocation({ params: { identifier }, body, ...context }) {
      const { orgId } = context.principal
      const { identifier: key = identifier, identifiers, ...fields } = body
      const update = async (tx: Tx) => {
        const inside = locationHandlers(usingTransaction(tx))
        const location_id = await getIdByKey(tx, orgId, 'location', identifier)
        const named = { ...context, params: { location_id } }
        let { data: updated } = (await inside.updateLocation({ ...named, body: toLocationPatch(fields) }))
          .body
        if (updated.external_key !== identifier) throw locationNotFound() // renamed before it was locked
        if (key !== identifier)
          ({ data: updated } = await inside.renameLocation({ ...named, body: { external_key: key } }))
        if (identifiers !== undefined)
          await replaceTags(tx, orgId, { kind: 'location', type: null, ...updated }, identifiers ?? [])
        const { data } = (await inside.getLocation({ ...named, body: undefined })).body
        return toLegacyLocation(tx, orgId, data)
      }
      const keyLock = key === identifier ? undefined : 'location keys'
      const lockName = body.parent_identifier === undefined ? keyLock : 'location tree'
      return { data: await inLegacyTerms(async () => runInTransaction(orgId, update, lockName)) }
    },

    async deleteLegacyLocation({ params: { identifier }, ...context }) {
      const { orgId } = context.principal
      return runInTransaction(orgId, async (tx) => {
        const location_id = await lockIdByKey(tx, orgId, 'location', identifier)
        return locationHandlers(usingTransaction(tx)).deleteLocation({ ...context, params: { location_id } })
      })
    },
  } satisfies Partial<Handlers<'catalog'>>
}

type LegacyLocationFields = Omit<LegacyLocationUpdate, 'identifier' | 'identifiers'>

/** Reads the paths of all locations in one statement. */
export async function toLegacyLocations(
  db: Db,
  orgId: number,
  views: readonly LocationView[],
): Promise<LegacyLocationView[]> {
  const parents = new Set(views.flatMap(({ parent_id }) => parent_id ?? []))
  const pathOf = pathsAmong(await listPageAncestors(db, orgId, [...parents], MAX_LEVELS))
  return views.map((view) => toView(view, pathOf(view)))
}

async function toLegacyLocation(db: Db, orgId: number, view: LocationView): Promise<LegacyLocationView> {
  const [only] = await toLegacyLocations(db, orgId, [view])
  return only as LegacyLocationView
}

const toView = (view: LocationView, { parent, path, depth }: TreePath): LegacyLocationView => ({
  surrogate_id: view.id,
  identifier: view.external_key,
  name: view.name,
  description: view.description ?? undefined,
  parent,
  path,
  depth,
  is_active: view.is_active,
  identifiers: view.tags.map(toLegacyIdentifier),
  valid_from: view.valid_from,
  valid_to: view.valid_to ?? undefined,
  created_at: view.created_at,
  updated_at: view.updated_at,
})

const toLocationCreate = (body: LegacyLocationCreate): LocationCreate => {
  const { identifier, identifiers, parent_identifier, ...fields } = body
  return {
    ...fields,
    external_key: identifier,
    ...(parent_identifier !== undefined && { parent_external_key: parent_identifier }),
    ...(identifiers && { tags: identifiers.map(toTagCreate) }),
  }
}

const toLocationPatch = ({ parent_identifier, ...fields }: LegacyLocationFields): LocationPatch => ({
  ...fields,
  ...(parent_identifier !== undefined && { parent_external_key: parent_identifier }),
})

const toLocationQuery = ({ identifier, parent, sort, ...query }: LegacyLocationListQuery) => {
  const { parent_identifier = parent, ...same } = query
  return {
    ...same,
    ...(identifier && { external_key: identifier }),
    ...(parent_identifier && { parent_external_key: parent_identifier }),
    ...(sort && { sort: toCurrentSort(sort) }),
  }
}

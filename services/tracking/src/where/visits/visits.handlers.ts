import type { Visit, VisitsQuery } from '@whereabouts/contracts/resources/tracking/visits'
import { validationFailed } from '@whereabouts/service-kit/errors/errors'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { CatalogView, KnownAsset } from '../../catalog/catalog-view.ts'
import { cursorOf, placeOf } from '../movements/cursor.ts'
import type { ReportDeps } from '../reports/deps.ts'
import { pageOfStays, secondsBetween } from './pages.ts'
import { pageOfSilentStays } from './silence.ts'
import { placesOf, type Places } from './places.ts'
import type { Stay } from './stays.ts'

const SECOND_US = 1_000_000

type Deps = Pick<ReportDeps, 'db' | 'view' | 'now'>

export const visitHandlers = ({
  db,
  view,
  now = Date.now,
}: Deps): Pick<Handlers<'tracking'>, 'listVisits'> => ({
  async listVisits({ principal: { orgId }, query }) {
    const after = query.after === undefined ? undefined : placeOf(orgId, query.after)
    if (query.after !== undefined && !after) throw notACursor()
    const { places, assetIds } = wantedOf(view, orgId, query)
    const source = { db: db.forOrg(orgId), orgId, places }
    const { from, to, min_seconds: minSeconds, open: isOpen, limit } = query
    const filter = { from, to, assetIds, minSeconds, isOpen, after }
    const maxSeconds = query.max_silence_seconds
    const page =
      maxSeconds === undefined
        ? await pageOfStays(source, filter, limit)
        : await pageOfSilentStays(source, filter, {
            maxUs: maxSeconds * SECOND_US,
            nowUs: now() * 1_000,
            limit,
          })
    return {
      data: page.stays.map((stay) => visitOf(view, orgId, stay)),
      cursor: page.after ? cursorOf(orgId, page.after) : null,
      has_more: page.after !== undefined,
    }
  },
})

/** The places and assets that a request names. */
export function wantedOf(
  view: CatalogView,
  orgId: number,
  query: Pick<VisitsQuery, 'asset_id' | 'asset_type' | 'location_id' | 'include_descendants'>,
): { places: Places; assetIds: readonly number[] | undefined } {
  const { asset_id, asset_type: types, location_id, include_descendants: isDeep = false } = query
  const ids = types
    ? (asset_id?.filter((id) => view.types.isOneOf(orgId, id, types)) ?? view.types.idsOf(orgId, types))
    : asset_id
  const named = location_id && [...new Set(location_id)]
  return { places: placesOf(view, orgId, named, isDeep), assetIds: ids && [...new Set(ids)] }
}

function visitOf(view: CatalogView, orgId: number, stay: Stay): Visit {
  const { assetId, place, at, end, lastSeen, isSilent } = stay
  return {
    asset: thingOf(assetId, view.asset(orgId, assetId)),
    location: thingOf(place, view.location(orgId, place)),
    started_at: instantOf(at),
    ended_at: end === undefined ? null : instantOf(end),
    seconds: secondsBetween(at, end ?? lastSeen),
    last_seen_at: instantOf(lastSeen),
    ended_by: end === undefined ? null : isSilent ? 'silence' : 'moved',
  }
}

/** As of now: key and name are null once it is deleted. */
export const thingOf = (id: number, known: KnownAsset | undefined) => ({
  id,
  external_key: known && !known.deleted ? known.key : null,
  name: known && !known.deleted ? known.name : null,
})

const instantOf = (us: number) => new Date(Math.floor(us / 1_000)).toISOString()

const notACursor = () =>
  validationFailed([{ field: 'after', code: 'invalid_value', message: 'after must be the cursor of a page' }])

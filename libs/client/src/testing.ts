import type { WhereaboutsOptions } from './whereabouts.ts'
import { sleep } from './retry.ts'
import { BATCH, conflict, invalid, Refusal, unknownHere, validate, type Body } from './testing/rules.ts'
import { pageOf, Query } from './testing/pages.ts'
import { Store, type Kind } from './testing/store.ts'

/** Options of a client that talks to a test double, and to nothing else. */
export type TestDouble = WhereaboutsOptions & { fetch: (request: Request) => Promise<Response> }

type Answer = { status: number; body?: unknown }
type Asked = { store: Store; ids: number[]; query: Query; body: Body; signal: AbortSignal }

const KINDS = { assets: 'asset', locations: 'location' } as const
const LOOK_AGAIN_MS = 10

/**
 * An API in memory, for the tests of a program that uses the client: `createWhereabouts(testDouble())`. Each one is a new, empty
 * organization. It has assets, locations and their tags, also in batches, inventory saves, the report, current locations and
 * events, with the errors of the API. It needs no network and no API key.
 *
 * It does not have scans, history, movements, webhooks, renames, filters other than by key and id, scopes, rate limits or
 * idempotency keys: what it does not have is status 400 and says so. It stores validity and does not apply it, compares tags as
 * they are, and answers at once what the API answers a moment later.
 */
export function testDouble(): TestDouble {
  const store = new Store()
  return {
    baseUrl: 'https://double.example',
    clientId: 'double',
    clientSecret: 'double',
    userAgent: 'test-double/1',
    fetch: async (request) => {
      const text = await request.text()
      const url = new URL(request.url)
      const requestId = crypto.randomUUID()
      const answer = await answerTo(store, request, url, text).catch((error: unknown): Answer => {
        if (!(error instanceof Refusal)) throw error
        return {
          status: error.status,
          body: { error: { ...error.body, instance: url.pathname, request_id: requestId } },
        }
      })
      const headers = { 'content-type': 'application/json', 'x-request-id': requestId }
      return new Response(answer.body === undefined ? null : JSON.stringify(answer.body), {
        status: answer.status,
        headers,
      })
    },
  }
}

async function answerTo(store: Store, request: Request, url: URL, text: string): Promise<Answer> {
  const path = url.pathname.replace(/^\/api\/v1/, '')
  const name = `${request.method} ${path.replaceAll(/\/\d+/g, '/#')}`
  const ids = [...path.matchAll(/\/(\d+)/g)].map(([, id]) => Number(id))
  const operation = OPERATIONS[name]
  if (!operation) throw unknownHere(`${request.method} ${url.pathname}`)
  const body = text === '' ? {} : (JSON.parse(text) as Body)
  return operation({ store, ids, query: new Query(url.searchParams), body, signal: request.signal })
}

const OPERATIONS: Readonly<Record<string, (asked: Asked) => Answer | Promise<Answer>>> = {
  'POST /oauth/token': () => ({ status: 200, body: { access_token: 'double', token_type: 'Bearer', expires_in: 900, refresh_token: 'double' } }),
  ...operationsOf('assets'),
  ...operationsOf('locations'),
  'POST /inventory/save': ({ store, query, body }) => {
    query.refuseOthers()
    return { status: 201, body: { data: store.save(body) } }
  },
  'GET /reports/asset-locations': ({ store, query }) => {
    const [assets, locations] = [query.all('asset_external_key'), query.all('location_external_key')]
    const rows = report(store).filter(
      (row) =>
        (assets.length === 0 || assets.includes(row.asset_external_key)) &&
        (locations.length === 0 || locations.includes(row.location_external_key)),
    )
    return { status: 200, body: pageOf(rows, query, ['asset_last_seen', 'asset_external_key', 'location_external_key'], '-asset_last_seen') }
  },
  'GET /locations/current': ({ store, query }) => {
    const rows = report(store).map(({ asset_external_key, location_external_key, asset_last_seen }) =>
      ({ asset: asset_external_key, location: location_external_key, last_seen: asset_last_seen }))
    return { status: 200, body: pageOf(rows, query, ['last_seen', 'asset', 'location'], '-last_seen') }
  },
  'GET /events': events,
} // oxfmt-ignore

/** Of assets or locations. */
function operationsOf(plural: keyof typeof KINDS): Record<string, (asked: Asked) => Answer> {
  const kind = KINDS[plural]
  const thingOf = ({ store, ids: [id = 0], query }: Asked) => {
    query.refuseOthers()
    return store.one(kind, id)
  }
  return {
    [`GET /${plural}`]: ({ store, query }) => {
      const [keys, ids] = [query.all('external_key'), query.all('id')]
      const rows = store.state[kind].filter(
        ({ id, external_key }) =>
          (keys.length === 0 || keys.includes(external_key)) && (ids.length === 0 || ids.includes(String(id))),
      )
      return { status: 200, body: pageOf(rows, query, ['external_key', 'name', 'created_at', 'updated_at']) }
    },
    [`POST /${plural}`]: ({ store, query, body }) => {
      query.refuseOthers()
      return { status: 201, body: { data: store.create(kind, body) } }
    },
    [`GET /${plural}/#`]: (asked) => ({ status: 200, body: { data: thingOf(asked) } }),
    [`PATCH /${plural}/#`]: (asked) => {
      const thing = thingOf(asked)
      asked.store.change(kind, thing, asked.body)
      return { status: 200, body: { data: thing } }
    },
    [`DELETE /${plural}/#`]: (asked) => {
      asked.store.remove(kind, thingOf(asked))
      return { status: 204 }
    },
    [`POST /${plural}/#/tags`]: (asked) => ({
      status: 201,
      body: { data: asked.store.attach(kind, thingOf(asked), asked.body) },
    }),
    [`DELETE /${plural}/#/tags/#`]: (asked) => {
      asked.store.detach(kind, thingOf(asked), asked.ids[1] ?? 0)
      return { status: 204 }
    },
    [`POST /${plural}/batch`]: ({ store, query, body }) => ({ status: 200, body: { data: batch(store, kind, query, body) } }),
  } // oxfmt-ignore
}

function batch(store: Store, kind: Kind, query: Query, body: Body): unknown[] {
  const mode = query.oneOf('mode', 'upsert', ['upsert', 'create', 'update'])
  const isTrial = query.oneOf('dry_run', 'false', ['true', 'false']) === 'true'
  query.refuseOthers()
  const items = validate(body, BATCH)['items'] as Body[]
  const firsts = new Map<unknown, number>()
  // A trial of all, because an item may name one before it.
  return store.attempt(
    () =>
      items.map((item, index) => {
        try {
          const key = item['external_key']
          const first = firsts.get(key)
          if (first !== undefined) throw conflict(`external_key is already in items[${first}]`)
          if (key !== undefined) firsts.set(key, index)
          const { status, id } = store.put(kind, item, mode)
          return { index, status, id: isTrial && status === 'created' ? null : id, error: null }
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
          const { title: _title, status: _status, ...rest } = error.body
          return { index, status: 'failed', id: null, error: rest }
        }
      }),
    isTrial,
  )
}

function report(store: Store) {
  return store.state.places.map(({ asset, location, since, seen }) => ({
    asset_id: asset,
    asset_external_key: store.one('asset', asset).external_key,
    location_id: location.id,
    location_external_key: location.external_key,
    asset_deleted_at: null,
    asset_last_seen: seen,
    dwell_started_at: since,
    dwell_seconds: Math.floor((Date.now() - Date.parse(since)) / 1_000),
  }))
}

/** With `wait`, as long as nothing has happened, so that a program that follows does not ask without a pause. */
async function events({ store, query, signal }: Asked): Promise<Answer> {
  const types = query.all('type')
  const limit = query.number('limit', 100, 1, 500)
  const until = Date.now() + query.number('wait', 0, 0, 30) * 1_000
  const after = query.one('after', '0')
  query.refuseOthers()
  const start = after === 'now' ? store.state.events.length : Number(after)
  if (!Number.isSafeInteger(start)) throw invalid('after', 'invalid_value', 'must be a cursor')
  const found = () =>
    store.state.events
      .map((event, index) => ({ event, next: index + 1 }))
      .slice(start)
      .filter(({ event }) => types.length === 0 || types.includes(event.type))
  while (found().length === 0 && Date.now() < until) await sleep(LOOK_AGAIN_MS, signal)
  const data = found().slice(0, limit)
  const has_more = found().length > data.length
  const cursor = has_more ? data.at(-1)?.next : store.state.events.length
  return { status: 200, body: { data: data.map(({ event }) => event), cursor: String(cursor), has_more } }
}

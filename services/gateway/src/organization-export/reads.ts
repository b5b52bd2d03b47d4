import { exportRowRoutes } from '@whereabouts/contracts/messages/export-rows'
import type { FloorPlan } from '@whereabouts/contracts/resources/catalog/floor-plans'
import type { Upstream } from '@whereabouts/contracts/route'
import { routePath, routes, type OperationId, type ReplyOf } from '@whereabouts/contracts/routes'
import type { Dispatcher } from 'undici'

/** Who reads, and through what. */
type Reading = {
  orgId: number
  dispatcher: Dispatcher
  upstreams: Readonly<Record<Upstream, string>>
  /** Names the caller to the service. Throws when the caller has lost access. */
  headersFor: (upstream: Upstream) => Promise<Record<string, string>>
  /** Of the client. */
  signal: AbortSignal
}

/** The lists that end after some pages. */
type Listed =
  | 'listMembers' | 'listInvitations' | 'listApiKeys' | 'listReaders' | 'listScanPoints' | 'listUnknownTags'
  | 'listWebhookEndpoints' // oxfmt-ignore
type RowOf<K extends OperationId> = ReplyOf<K> extends { data: (infer Row)[] } ? Row : never
type DataOf<K extends OperationId> = ReplyOf<K> extends { data: infer Data } ? Data : never
type Params = Readonly<Record<string, string | number>>

/** A service failed while an export was made. */
export class ReadFailed extends Error {
  override readonly name = 'ReadFailed'
  readonly upstream: Upstream

  constructor(upstream: Upstream, message: string, options?: ErrorOptions) {
    super(`${upstream} ${message}`, options)
    this.upstream = upstream
  }
}

export type Reads = ReturnType<typeof readsOf>

/** The most that lists answer with. */
const PAGE = 200

/** Reads of the services as the caller of the export: not through the pipeline, because an export is one request. */
export function readsOf(reading: Reading) {
  const { orgId } = reading

  async function get(upstream: Upstream, path: string): Promise<Dispatcher.ResponseData['body']> {
    const { dispatcher, upstreams, signal } = reading
    const { origin } = new URL(upstreams[upstream])
    const headers = await reading.headersFor(upstream)
    const once = () => dispatcher.request({ origin, path, method: 'GET', headers, signal })
    try {
      // Once more, because the service may have closed an idle connection.
      const { statusCode, body } = await once().catch((error: unknown) => {
        if (signal.aborted) throw error
        return once()
      })
      if (statusCode === 200) return body
      await body.dump()
      throw new ReadFailed(upstream, `answered ${statusCode} to ${path}`)
    } catch (error) {
      if (error instanceof ReadFailed || signal.aborted) throw error
      throw new ReadFailed(upstream, `did not answer to ${path}`, { cause: error })
    }
  }

  async function answer<K extends OperationId>(
    operationId: K,
    params: Params,
    query = '',
  ): Promise<ReplyOf<K>> {
    const row = routes[operationId]
    const all: Params = { org_id: orgId, ...params }
    const path = routePath(row).replaceAll(/\{(\w+)\}/g, (_part, name: string) => String(all[name]))
    return (await (await get(row.upstream, `${path}${query}`)).json()) as ReplyOf<K>
  }

  /** By offset: a row that moves meanwhile may be missing, so only for lists that seldom change. */
  async function* pages<K extends Listed>(operationId: K, params: Params = {}): AsyncGenerator<RowOf<K>[]> {
    for (let offset = 0; ; offset += PAGE) {
      const query = `?limit=${PAGE}&offset=${offset}`
      const { data } = (await answer(operationId, params, query)) as { data: RowOf<K>[] }
      if (data.length > 0) yield data
      if (data.length < PAGE) return
    }
  }

  let plans: Promise<FloorPlan[]> | undefined

  return {
    pages,

    async one<K extends 'getPlacement' | 'getReader'>(
      operationId: K,
      params: Params = {},
    ): Promise<DataOf<K>> {
      return ((await answer(operationId, params)) as { data: DataOf<K> }).data
    },

    async *readers() {
      for await (const page of pages('listReaders')) yield* page
    },

    /** The images of this answer are those of the export. */
    floorPlans(): Promise<FloorPlan[]> {
      plans ??= answer('listFloorPlans', {}).then(({ data }) => data)
      return plans
    },

    /** By cursor, so no row is skipped. */
    async *audit() {
      let after = 'oldest'
      for (;;) {
        const query = `?limit=${PAGE}&after=${encodeURIComponent(after)}`
        const { data, cursor, has_more } = await answer('listAudit', {}, query)
        if (data.length > 0) yield data
        if (!has_more || cursor === undefined) return
        after = cursor
      }
    },

    async *stream(name: keyof typeof exportRowRoutes): AsyncGenerator<Buffer> {
      const row = exportRowRoutes[name]
      yield* bytesOf(row.upstream, await get(row.upstream, routePath(row)))
    },

    async *image(hash: string): AsyncGenerator<Buffer> {
      const { upstream, path } = { ...routes.getFloorImage, path: routePath(routes.getFloorImage) }
      yield* bytesOf(upstream, await get(upstream, path.replace('{hash}', hash)))
    },
  }
}

async function* bytesOf(upstream: Upstream, body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* body
  } catch (error) {
    throw new ReadFailed(upstream, 'broke off', { cause: error })
  }
}

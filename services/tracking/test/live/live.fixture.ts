import type { RecentMovements } from '@whereabouts/contracts/resources/tracking/live'
import type { AssetMoved } from '@whereabouts/contracts/messages/asset-moved'
import { routePath, routes } from '@whereabouts/contracts/routes'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { publishMany } from '@whereabouts/messaging/messages/publish'
import { createRegistry } from '@whereabouts/service-kit/observe/metrics'
import { serveRows } from '@whereabouts/service-kit/http/serve'
import { createServer } from '@whereabouts/service-kit/http/server'
import { testCallers } from '@whereabouts/testing/caller'
import { busTest } from '@whereabouts/testing/broker/broker-fixtures'
import { openEvents, type EventStream, type StreamedEvent } from '@whereabouts/testing/event-stream'
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { log } from '../tracking.fixture.ts'
import { LiveFeed } from '../../src/where/live/live-feed.ts'
import { liveMetrics } from '../../src/where/live/live-metrics.ts'
import { liveHandlers } from '../../src/where/live/live.handlers.ts'

/** Options of `expect.poll` for a busy machine. */
export const PATIENTLY = { timeout: 10_000 }

const path = routePath(routes.streamMovements)

type From = { userId: number; address: string }

let people = 0
/** A new user at a new address. */
export function anybody(): From {
  people += 1
  return { userId: people, address: `10.${people >> 16}.${(people >> 8) & 255}.${people & 255}` }
}

type Times = { heartbeatMs?: number; roomMs?: number }

/** One process of tracking, with the live feed only. */
async function startReplica(broker: Broker, times: Times = {}) {
  const registry = createRegistry('tracking')
  const metrics = liveMetrics(registry)
  const live = new LiveFeed({ log, metrics, ...times })
  const callers = testCallers('tracking')
  const app = createServer({ log, registry })
  app.addHook('preClose', async () => live.close())
  const handlers = liveHandlers({ live })
  const rows = [
    ['streamMovements', routes.streamMovements],
    ['listRecentMovements', routes.listRecentMovements],
  ] as const
  serveRows(app, rows, {
    verify: callers.verify,
    handlers: handlers as never,
  })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  live.start(broker)
  await expect.poll(() => live.isReady(), PATIENTLY).toBe(true)

  /** `lastId`: sent as Last-Event-ID. By default, each stream has its own user and address. */
  async function open(
    orgId: number,
    lastId?: string,
    query = '',
    from: From = anybody(),
  ): Promise<EventStream> {
    const headers = await callers.headersFor({ orgId, userId: from.userId })
    return openEvents(`${origin}${path}${query}`, {
      ...headers,
      'x-forwarded-for': from.address,
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    })
  }
  const recent = async (orgId: number): Promise<RecentMovements> => {
    const url = `${origin}${routePath(routes.listRecentMovements)}`
    const response = await fetch(url, { headers: await callers.headersFor({ orgId }) })
    return ((await response.json()) as { data: RecentMovements }).data
  }
  const head = async (orgId: number) =>
    fetch(`${origin}${path}`, { method: 'HEAD', headers: await callers.headersFor({ orgId }) })
  return { live, metrics, open, recent, head, stop: () => app.close() }
}

export type Replica = Awaited<ReturnType<typeof startReplica>>

/** `replica()` starts one more process. All are stopped after the test. */
export const test = busTest.extend<{ replica: (times?: Times) => Promise<Replica> }>({
  replica: async ({ bus }, use) => {
    const started: Replica[] = []
    await use(async (times) => {
      const one = await startReplica(await bus.connect(), times)
      started.push(one)
      return one
    })
    await Promise.all(started.map((one) => one.stop()))
  },
})

const moved = (orgId: number, n: number, name = 'Box'): AssetMoved => ({
  delivery_id: randomUUID(),
  org_id: orgId,
  occurred_at: '2026-11-21T10:00:00.000Z',
  kind: 'scan',
  asset: { id: n, external_key: `A-${n}`, name },
  from_location: null,
  to_location: { id: 2, name: 'Dock' },
})

/** Publishes movements of the assets with these numbers. */
export async function publishMoves(broker: Broker, orgId: number, numbers: readonly number[], name?: string) {
  const messages = numbers.map((n) => ({
    subject: `events.asset-moved.${orgId}`,
    payload: moved(orgId, n, name),
  }))
  const results = await publishMany(broker, messages)
  expect(results.filter(({ ok }) => !ok)).toEqual([])
}

export const range = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i)

/** The numbers of the assets that moved. */
export const numbersOf = (events: readonly StreamedEvent[]): number[] =>
  events.map(({ data }) => (JSON.parse(data) as { asset: { id: number } }).asset.id)

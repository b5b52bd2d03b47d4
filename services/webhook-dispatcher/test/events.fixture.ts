import { randomUUID } from 'node:crypto'
import type { EventPage } from '@whereabouts/contracts/resources/webhooks/events'
import { openEvents } from '@whereabouts/testing/event-stream'
import { recordEvents, type NewEvent } from '../src/events/events.queries.ts'
import type { Db } from '../src/db.ts'
import { test as dispatcherTest, type DispatcherOptions } from './dispatcher.fixture.ts'

export const newEvent = (orgId: number, n: number, type = 'asset.moved', more = ''): NewEvent => ({
  orgId,
  id: randomUUID(),
  type,
  occurredAt: '2026-11-21T10:00:00.500Z',
  data: JSON.stringify(more === '' ? { n } : { n, more }),
})

/** Records one event after the other. */
export async function record(db: Db, events: readonly NewEvent[]): Promise<void> {
  for (const event of events) await recordEvents(db, [event])
}

type Answer = { status: number; body: EventPage & { error: { type: string; cursor?: unknown } } }

/** A replica that listens. */
export type Replica = {
  stop: () => Promise<void>
  /** An answer of the feed. `leaving` ends the connection. */
  get: (orgId: number, query?: string, leaving?: AbortSignal) => Promise<Answer>
  head: (orgId: number, query: string, accept?: string) => Promise<Response>
  open: (orgId: number, query?: string, lastId?: string) => ReturnType<typeof openEvents>
  metrics: () => Promise<string>
}

export const test = dispatcherTest.extend<{ replica: (options?: DispatcherOptions) => Promise<Replica> }>({
  replica: async ({ dispatcher }, use) => {
    await use(async (options = {}) => {
      const { app, headersFor, registry, ...running } = dispatcher(options)
      const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/api/v1/events`
      return {
        stop: () => running.stop(),
        async get(orgId, query = '', leaving) {
          const headers = await headersFor(orgId)
          const response = await fetch(url + query, { headers, ...(leaving && { signal: leaving }) })
          return { status: response.status, body: (await response.json()) as Answer['body'] }
        },
        head: async (orgId, query, accept = 'application/json') =>
          fetch(url + query, { method: 'HEAD', headers: { ...(await headersFor(orgId)), accept } }),
        open: async (orgId, query = '', lastId) =>
          openEvents(url + query, {
            ...(await headersFor(orgId)),
            ...(lastId !== undefined && { 'last-event-id': lastId }),
          }),
        metrics: () => registry.metrics(),
      }
    })
  },
})

export const numbersOf = (rows: readonly { data: unknown }[]): number[] =>
  rows.map(({ data }) => (data as { n: number }).n)

export const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, i) => from + i)

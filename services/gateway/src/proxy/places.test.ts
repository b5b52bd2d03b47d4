import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { createRegistry } from '@whereabouts/service-kit/observe/metrics'
import { RequestClient } from '@whereabouts/service-kit/observe/request-client'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { gatewayMetrics } from '../metrics.ts'
import { places } from './places.ts'

test('requests beyond a thousand that wait are refused, counted, and logged once a minute (ADR 68)', async () => {
  const lines: object[] = []
  const log = { warn: (fields: object) => lines.push(fields) } as unknown as Logger
  const registry = createRegistry('gateway')
  const app = fastify()
  const enter = places(app, log, gatewayMetrics(registry).places)(() => 'catalog')
  const send = (orgId: number) => {
    const raw = new EventEmitter() as ServerResponse
    const request = { principal: { orgId } } as FastifyRequest
    return enter(request, { raw } as FastifyReply, new RequestClient(raw))
  }
  for (let n = 0; n < 128 + 1_000; n += 1) void send(7)?.catch(() => undefined)
  for (let n = 0; n < 3; n += 1) expect(() => send(7)).toThrow('Retry after 1 seconds')
  expect(send(8)).toBeUndefined() // a place was free
  const valuesOf = async (name: string) =>
    (await registry.getSingleMetric(name)?.get())?.values
      .filter(({ value }) => value > 0)
      .map(({ labels, value }) => [labels['upstream'], labels['state'], value])
  expect(await valuesOf('gateway_upstream_refusals_total')).toEqual([['catalog', undefined, 3]])
  expect(await valuesOf('gateway_upstream_requests')).toEqual([
    ['catalog', 'running', 129],
    ['catalog', 'waiting', 1_000],
  ])
  await app.close()
  const line = { upstream: 'catalog', org_id: 7 }
  expect(lines).toEqual([
    { ...line, count: 1 },
    { ...line, count: 2 },
  ])
})

test('a client that has left before it had a place holds none, however often', async () => {
  const registry = createRegistry('gateway')
  const app = fastify()
  const enter = places(
    app,
    { warn: () => {} } as unknown as Logger,
    gatewayMetrics(registry).places,
  )(() => 'catalog')
  for (let n = 0; n < 3; n += 1) {
    const raw = Object.assign(new EventEmitter(), { closed: true, writableFinished: false }) as ServerResponse
    const request = { principal: { orgId: 7 } } as FastifyRequest
    await enter(request, { raw } as FastifyReply, new RequestClient(raw))
    const sizes = await registry.getSingleMetric('gateway_upstream_requests')?.get()
    expect(sizes?.values.filter(({ value }) => value > 0)).toEqual([])
  }
  await app.close()
})

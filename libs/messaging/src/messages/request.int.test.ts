import { eventually } from '@whereabouts/testing/eventually'
import { expect, vi } from 'vitest'
import { busTest as test } from '@whereabouts/testing/broker/broker-fixtures'
import { natsOf } from '../connect/connection.ts'
import { RefusedError, request, RequestError, respond } from './request.ts'
import { currentTrace, rootTrace, withTrace } from '@whereabouts/service-kit/observe/trace'

const subject = 'rpc.test.echo'

/** The kind of failure, or a failed test when the request succeeds. */
async function failureOf(work: Promise<unknown>): Promise<unknown> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(RequestError)
  return error instanceof RequestError ? { failure: error.failure, message: error.message } : undefined
}

test('a request is answered by one responder of the queue', async ({ bus }) => {
  const handler = vi.fn<(payload: unknown) => Promise<unknown>>(async (payload) => ({ got: payload }))
  const replica = await bus.connect()
  const responders = [bus.broker, replica].map((broker) => respond(broker, subject, 'q', handler, bus))
  await natsOf(replica).flush()
  expect(await request(bus.broker, subject, { a: 1 }, { timeoutMs: 1_000 })).toEqual({ got: { a: 1 } })
  expect(handler).toHaveBeenCalledOnce()
  await Promise.all(responders.map((responder) => responder.stop()))
})

test('the responder runs in the trace of the request', async ({ bus }) => {
  respond(bus.broker, subject, 'q', async () => currentTrace(), bus)
  const trace = { ...rootTrace(), requestId: 'R1' }
  const answer = await withTrace(trace, () => request(bus.broker, subject, null, { timeoutMs: 1_000 }))
  expect(answer).toMatchObject({ traceId: trace.traceId, requestId: 'R1' })
})

test('the text of a refusal reaches the caller, the text of a bug does not', async ({ bus }) => {
  const errors = { refused: new RefusedError('no such org'), failed: new Error('password is hunter2') }
  respond(
    bus.broker,
    subject,
    'q',
    async (kind) => Promise.reject(kind === 1 ? errors.refused : errors.failed),
    bus,
  )
  expect(await failureOf(request(bus.broker, subject, 1, { timeoutMs: 1_000 }))).toEqual({
    failure: 'refused',
    message: `${subject}: no such org`,
  })
  expect(await failureOf(request(bus.broker, subject, 2, { timeoutMs: 1_000 }))).toEqual({
    failure: 'failed',
    message: `${subject}: the request failed`,
  })
  expect(bus.log.filter(({ text }) => text === 'request failed')).toHaveLength(1)
})

test('no responder, no answer in time, an abort and a lost connection are different failures', async ({
  bus,
}) => {
  const ask = (signal?: AbortSignal) =>
    failureOf(request(bus.broker, subject, 1, { timeoutMs: 200, ...(signal && { signal }) }))
  expect(await ask()).toMatchObject({ failure: 'no_responders' })
  respond(bus.broker, subject, 'q', () => new Promise(() => {}), bus)
  expect(await ask()).toMatchObject({ failure: 'timeout' })
  expect(await ask(AbortSignal.timeout(20))).toMatchObject({ failure: 'aborted' })
  await bus.server.kill()
  await eventually(() => expect(bus.broker.isConnected()).toBe(false))
  expect(await ask()).toMatchObject({ failure: 'unreachable' })
})

test('requests beyond the limit are refused at once, and the responder stays usable', async ({ bus }) => {
  const gate = Promise.withResolvers<void>()
  respond(bus.broker, subject, 'q', () => gate.promise, { ...bus, concurrency: 1 })
  const first = request(bus.broker, subject, 1, { timeoutMs: 5_000 })
  const second = await failureOf(request(bus.broker, subject, 2, { timeoutMs: 5_000 }))
  expect(second).toMatchObject({ failure: 'overloaded' })
  gate.resolve()
  expect(await first).toBeNull()
  expect(await request(bus.broker, subject, 3, { timeoutMs: 5_000 })).toBeNull()
})

test('a request that is not JSON is refused, and the next one is answered', async ({ bus }) => {
  respond(bus.broker, subject, 'q', async () => 'fine', bus)
  const answer = await natsOf(bus.broker).request(subject, '{', { timeout: 1_000 })
  expect(answer.json()).toMatchObject({ error: { failure: 'refused' } })
  expect(await request(bus.broker, subject, 1, { timeoutMs: 1_000 })).toBe('fine')
})

test('stop() lets running requests finish and accepts no more', async ({ bus }) => {
  const gate = Promise.withResolvers<void>()
  const begun = vi.fn<() => Promise<void>>(() => gate.promise)
  const responder = respond(bus.broker, subject, 'q', begun, bus)
  const running = request(bus.broker, subject, 1, { timeoutMs: 5_000 })
  await eventually(() => expect(begun).toHaveBeenCalled())
  const stopped = responder.stop()
  gate.resolve()
  expect(await running).toBeNull()
  await stopped
  expect(await failureOf(request(bus.broker, subject, 2, { timeoutMs: 1_000 }))).toMatchObject({
    failure: 'no_responders',
  })
})

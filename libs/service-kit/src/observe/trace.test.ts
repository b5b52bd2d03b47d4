import { expect, test } from 'vitest'
import {
  childTrace,
  currentTrace,
  rootTrace,
  traceFrom,
  traceHeaders,
  traceOfMessage,
  withTrace,
} from './trace.ts'

const sent = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', request_id: 'R1' }

test('a trace survives the way through headers', () => {
  const trace = { ...rootTrace(), requestId: 'R1' }
  expect(traceFrom(traceHeaders(trace))).toEqual(trace)
})

test('an unsampled trace stays unsampled', () => {
  const trace = { ...rootTrace(), sampled: false }
  expect(traceHeaders(trace)['traceparent']).toMatch(/-00$/)
  expect(traceFrom(traceHeaders(trace))?.sampled).toBe(false)
})

test.for([
  { name: 'nothing', traceparent: undefined },
  { name: 'an empty header', traceparent: '' },
  { name: 'version ff', traceparent: sent.traceparent.replace(/^00/, 'ff') },
  { name: 'an all-zero trace id', traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` },
  { name: 'an all-zero span id', traceparent: `00-0af7651916cd43dd8448eb211c80319c-${'0'.repeat(16)}-01` },
  { name: 'upper case', traceparent: sent.traceparent.toUpperCase() },
  { name: 'version 00 with more fields', traceparent: `${sent.traceparent}-aa` },
  { name: 'a short trace id', traceparent: '00-0af7-b7ad6b7169203331-01' },
])('$name is not a trace', ({ traceparent }) => expect(traceFrom({ traceparent })).toBeUndefined())

test('a later version with more fields is read', () => {
  const later = `${sent.traceparent.replace(/^00/, '01')}-more`
  expect(traceFrom({ traceparent: later })?.traceId).toBe('0af7651916cd43dd8448eb211c80319c')
})

test('a message is handled in a child of the span that sent it, with its request id', () => {
  const trace = traceOfMessage(sent)
  expect(trace).toMatchObject({ traceId: '0af7651916cd43dd8448eb211c80319c', requestId: 'R1' })
  expect(trace.spanId).not.toBe('b7ad6b7169203331')
})

test('a message without a trace starts a new one, even inside another trace', () => {
  const running = rootTrace()
  const trace = withTrace(running, () => traceOfMessage({ request_id: 'R2' }))
  expect(trace.traceId).not.toBe(running.traceId)
  expect(trace.requestId).toBe('R2')
})

test('the running trace includes asynchronous work and ends with it', async () => {
  const trace = rootTrace()
  const seen = await withTrace(trace, async () => {
    await Promise.resolve()
    return { current: currentTrace(), child: childTrace() }
  })
  expect(seen.current).toEqual(trace)
  expect(seen.child).toMatchObject({ traceId: trace.traceId })
  expect(seen.child.spanId).not.toBe(trace.spanId)
  expect(currentTrace()).toBeUndefined()
})

import type { Caller } from '@whereabouts/contracts/messages/audit'
import type { RequestClient } from './request-client.ts'
import { AsyncLocalStorage } from 'node:async_hooks'
import { idBytes } from '../random-bytes.ts'

/** The current span of a distributed trace (W3C Trace Context), and the id of the request that started it. */
export type Trace = {
  /** 32 lower-case hex digits. */
  traceId: string
  /** 16 lower-case hex digits. */
  spanId: string
  /** Undefined at the root. */
  parentSpanId?: string
  /** Whether the spans of this trace are recorded, see spans.ts. */
  sampled: boolean
  requestId?: string
  /** Of a request that changes something: who sent it, for the audit. It is not sent on with the trace. */
  caller?: Caller
  /** Of a request that only reads, which ends when it leaves. */
  client?: RequestClient
}

const storage = new AsyncLocalStorage<Trace>()

/** The trace of the running request or message; undefined outside of both. */
export const currentTrace = (): Trace | undefined => storage.getStore()

/** Runs `work`, and all that it starts, in `trace`. */
export const withTrace = <T>(trace: Trace, work: () => T): T => storage.run(trace, work)

/** Runs `work` of several requests in the current trace: it does not end when the client of one of them leaves. */
export function withoutClient<T>(work: () => T): T {
  const { client, ...trace } = storage.getStore() ?? {}
  return client ? storage.run(trace as Trace, work) : work()
}

/** A new span below `parent`; without a parent, the root of a new trace. */
export const childTrace = (parent = currentTrace()): Trace =>
  parent ? { ...parent, spanId: randomId(8), parentSpanId: parent.spanId } : rootTrace()

/** The root span of a new trace. */
export const rootTrace = (): Trace => ({ traceId: randomId(16), spanId: randomId(8), sampled: isChosen() })

/** At the public port: continues the caller's trace, but we decide whether to record it. */
export const edgeTrace = (headers: Readonly<Record<string, unknown>>): Trace => {
  const { traceparent } = headers
  const sent = typeof traceparent === 'string' ? traceFrom({ traceparent }) : undefined
  return sent ? { ...childTrace(sent), sampled: isChosen() } : rootTrace()
}

let sampleRatio = 0

/** Sets the share of traces starting here that is recorded. It is 0 before the first call. */
export function setSampleRatio(ratio: number): void {
  sampleRatio = ratio
}

const isChosen = () => sampleRatio > 0 && Math.random() < sampleRatio

const randomId = (bytes: number) => idBytes(bytes).toString('hex')

/** Headers for a message or an HTTP request: `traceparent`, and `request_id` if there is one. */
export function traceHeaders(trace: Trace): Record<string, string> {
  const traceparent = `00-${trace.traceId}-${trace.spanId}-${trace.sampled ? '01' : '00'}`
  return trace.requestId === undefined ? { traceparent } : { traceparent, request_id: trace.requestId }
}

// Versions after 00 may append fields; "ff" is not a version, and all-zero ids are invalid.
const TRACEPARENT =
  /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:(?<!^00-.{52})-.*)?$/

/** Reads the sender's headers. Undefined without a valid `traceparent`: then the caller starts a new trace. */
export function traceFrom(headers: Readonly<Record<string, string | undefined>>): Trace | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(headers['traceparent'] ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  const requestId = headers['request_id']
  const trace = { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
  return requestId === undefined ? trace : { ...trace, requestId }
}

/**
 * The trace in which a message is handled: a child of the sender's span, or a new trace. It keeps the request id in
 * both cases.
 */
export function traceOfMessage(headers: Readonly<Record<string, string | undefined>>): Trace {
  const requestId = headers['request_id']
  const sent = traceFrom(headers)
  const trace = sent ? childTrace(sent) : rootTrace()
  return requestId === undefined ? trace : { ...trace, requestId }
}

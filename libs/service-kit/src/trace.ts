import { AsyncLocalStorage } from 'node:async_hooks'
import { idBytes } from './random-bytes.ts'

/** Where we are in a distributed trace (W3C Trace Context), and the request that everything began with. */
export type Trace = {
  /** 32 lower-case hex digits. */
  traceId: string
  /** 16 lower-case hex digits. */
  spanId: string
  /** The step that led to this one; undefined at the root. */
  parentSpanId?: string
  /** Whether the steps of this trace are recorded, see spans.ts. */
  sampled: boolean
  requestId?: string
}

const storage = new AsyncLocalStorage<Trace>()

/** The trace of the running request or message; undefined outside of both. */
export const currentTrace = (): Trace | undefined => storage.getStore()

/** Runs `work`, and all it starts, inside `trace`. */
export const withTrace = <T>(trace: Trace, work: () => T): T => storage.run(trace, work)

/** A new step below `parent`; without one, the root of a new trace. */
export const childTrace = (parent = currentTrace()): Trace =>
  parent ? { ...parent, spanId: randomId(8), parentSpanId: parent.spanId } : rootTrace()

/** The first step of a new trace. */
export const rootTrace = (): Trace => ({ traceId: randomId(16), spanId: randomId(8), sampled: isChosen() })

/** At the public port: below a stranger's step, while whether to record it stays our own choice. */
export const edgeTrace = (headers: Readonly<Record<string, unknown>>): Trace => {
  const { traceparent } = headers
  const sent = typeof traceparent === 'string' ? traceFrom({ traceparent }) : undefined
  return sent ? { ...childTrace(sent), sampled: isChosen() } : rootTrace()
}

let sampleRatio = 0

/** The share of traces beginning here that is recorded; 0 until said otherwise. */
export function setSampleRatio(ratio: number): void {
  sampleRatio = ratio
}

const isChosen = () => sampleRatio > 0 && Math.random() < sampleRatio

const randomId = (bytes: number) => idBytes(bytes).toString('hex')

/** As message or HTTP headers: `traceparent`, and `request_id` when there is one. */
export function traceHeaders(trace: Trace): Record<string, string> {
  const traceparent = `00-${trace.traceId}-${trace.spanId}-${trace.sampled ? '01' : '00'}`
  return trace.requestId === undefined ? { traceparent } : { traceparent, request_id: trace.requestId }
}

// Versions after 00 may append fields; "ff" is not a version, and all-zero ids are invalid.
const TRACEPARENT =
  /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:(?<!^00-.{52})-.*)?$/

/** Reads the sender's headers. Undefined when there is no valid `traceparent`: then a trace begins here. */
export function traceFrom(headers: Readonly<Record<string, string | undefined>>): Trace | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(headers['traceparent'] ?? '') ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  const requestId = headers['request_id']
  const trace = { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
  return requestId === undefined ? trace : { ...trace, requestId }
}

/** The trace in which a message is handled: below the sender's when it sent one, keeping its request id anyway. */
export function traceOfMessage(headers: Readonly<Record<string, string | undefined>>): Trace {
  const requestId = headers['request_id']
  const sent = traceFrom(headers)
  const trace = sent ? childTrace(sent) : rootTrace()
  return requestId === undefined ? trace : { ...trace, requestId }
}

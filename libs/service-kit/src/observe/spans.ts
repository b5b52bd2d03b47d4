import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace as otel,
  TraceFlags,
  type Link,
} from '@opentelemetry/api'
import type { Logger } from './logging.ts'
import { setSampleRatio, type Trace } from './trace.ts'

/** Facts about a finished span. Times are in milliseconds since 1970 and may have fractions. */
export type SpanFacts = {
  /** From a closed set: with an id in the name, no two traces could be compared. */
  name: string
  kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal'
  startedAt: number
  /** Now if left out. */
  endedAt?: number
  attributes?: Readonly<Record<string, string | number | boolean | undefined>>
  /** Why the span failed. */
  failure?: string | undefined
  /** Spans of other traces that caused this one, such as those of the messages of a batch. */
  links?: readonly Trace[]
}

type Recorder = (trace: Trace, facts: SpanFacts) => void

let record: Recorder | undefined

/** Whether spans are recorded. If not, callers need not compute expensive facts. */
export const isTracing = (): boolean => record !== undefined

/** The current time for `SpanFacts`. */
export const spanTime = (): number => performance.timeOrigin + performance.now()

/**
 * Records a span. It is called when the span has ended, so that without a recorder a span costs only its ids.
 */
export function recordSpan(trace: Trace | undefined, facts: SpanFacts): void {
  if (record && trace?.sampled) record(trace, facts)
}

type TracingOptions = {
  service: string
  log: Logger
  config: {
    ENVIRONMENT: string
    TRACE_SAMPLE_RATIO: number
    OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined
  }
}

/** Limit of spans that wait to be sent. Further spans are dropped, so that a slow collector costs no memory. */
const MAX_WAITING = 8_192
const EXPORT_MS = 1_000

/**
 * Sends spans to the configured collector from now on, in the background. Without a collector nothing is recorded, and
 * the exporter is not loaded. `stop` sends the remaining spans.
 */
export async function startTracing({ service, log, config }: TracingOptions): Promise<{ stop(): unknown }> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/+$/, '')
  if (endpoint === undefined) return { stop: () => undefined }
  const [{ BatchSpanProcessor, TracerProvider }, { OTLPTraceExporter }, { resourceFromAttributes }] =
    await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
    ])
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: 5_000 })
  const ids = { traceId: '', spanId: '' }
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': service,
      'deployment.environment.name': config.ENVIRONMENT,
    }),
    // The ids were assigned when the span began, because other services have received them meanwhile.
    idGenerator: { generateTraceId: () => ids.traceId, generateSpanId: () => ids.spanId },
    spanProcessors: [
      new BatchSpanProcessor({ exporter, maxQueueSize: MAX_WAITING, scheduledDelayMillis: EXPORT_MS }),
    ],
  })
  const tracer = provider.getTracer('whereabouts')
  record = (trace, facts) => {
    Object.assign(ids, { traceId: trace.traceId, spanId: trace.spanId })
    const { name, startedAt, attributes = {}, links = [] } = facts
    const options = { kind: KINDS[facts.kind], startTime: startedAt, attributes, links: links.map(linkTo) }
    const span = tracer.startSpan(name, options, parentOf(trace))
    if (facts.failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: facts.failure })
    span.end(facts.endedAt ?? spanTime())
  }
  setSampleRatio(config.TRACE_SAMPLE_RATIO)
  log.info({ endpoint, sample_ratio: config.TRACE_SAMPLE_RATIO }, 'traces are exported')
  return {
    stop: async () => {
      record = undefined
      await provider.shutdown()
    },
  }
}

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const

function parentOf({ traceId, parentSpanId }: Trace) {
  if (parentSpanId === undefined) return ROOT_CONTEXT
  const parent = { traceId, spanId: parentSpanId, traceFlags: TraceFlags.SAMPLED, isRemote: true }
  return otel.setSpanContext(ROOT_CONTEXT, parent)
}

const linkTo = ({ traceId, spanId, sampled }: Trace): Link => ({
  context: { traceId, spanId, traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true },
})

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

/** What is known of a step once it is over. Times in milliseconds since 1970, fractions allowed. */
export type SpanFacts = {
  /** Of a closed set: an id in a name would make every trace one of a kind. */
  name: string
  kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal'
  startedAt: number
  /** Left out: now. */
  endedAt?: number
  attributes?: Readonly<Record<string, string | number | boolean | undefined>>
  /** Why the step failed. */
  failure?: string | undefined
  /** Steps of other traces that led to this one, as the messages of a batch do. */
  links?: readonly Trace[]
}

type Recorder = (trace: Trace, facts: SpanFacts) => void

let record: Recorder | undefined

/** Whether spans go anywhere: what is dear to find out need not be asked otherwise. */
export const isTracing = (): boolean => record !== undefined

/** The time for `SpanFacts`. */
export const spanTime = (): number => performance.timeOrigin + performance.now()

/**
 * Records the step that `trace` stands for. Called when it is over, so that a step costs nothing but its ids while no
 * trace is recorded.
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

/** Spans waiting to be sent at most; what comes on top is dropped, a slow collector costs no memory. */
const MAX_WAITING = 8_192
const EXPORT_MS = 1_000

/**
 * From now on spans are sent to the configured collector, in the background; without one, nothing is recorded and
 * nothing loaded. `stop` sends what is left.
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
    // Ids were given when the step began: others have sent them on since.
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

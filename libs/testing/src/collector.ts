import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'

/** The fields of a received span that tests use. Times are texts, in nanoseconds. */
export type CollectedSpan = {
  service: string
  name: string
  /** The numbers of OTLP: 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Record<string, unknown>
  links: { traceId: string; spanId: string }[]
  failure: string | undefined
}

export type Collector = {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  url: string
  spans: CollectedSpan[]
  close(): Promise<void>
}

/** A trace collector on loopback, with OTLP over HTTP and JSON. */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = []
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await json(request)) as Export
    if (request.url === '/v1/traces') spans.push(...spansOf(body))
    response.writeHead(request.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/json' })
    response.end('{}')
  }
  const server = createServer((request, response) => void take(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    spans,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type Attributes = { key: string; value: Record<string, unknown> }[]
type Sent = Omit<CollectedSpan, 'service' | 'attributes' | 'failure'> & {
  attributes?: Attributes
  status?: { code?: number; message?: string }
}
type Export = {
  resourceSpans: { resource: { attributes: Attributes }; scopeSpans: { spans: Sent[] }[] }[]
}

function spansOf({ resourceSpans }: Export): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        service: String(valuesOf(resource.attributes)['service.name']),
        name: span.name,
        kind: span.kind,
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId,
        startTimeUnixNano: span.startTimeUnixNano,
        endTimeUnixNano: span.endTimeUnixNano,
        attributes: valuesOf(span.attributes ?? []),
        links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
        failure: span.status?.code === 2 ? span.status.message : undefined,
      })),
    ),
  )
}

const valuesOf = (attributes: Attributes): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

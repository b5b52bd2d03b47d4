import type httpProxy from '@fastify/http-proxy'
import { EVENT_STREAM_MEDIA_TYPE } from '@whereabouts/contracts/route'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import type { GatewayMetrics } from '../metrics.ts'
import { passedId, responseHeaders } from './headers.ts'

/** How one mount handles the responses of its service. */
export type ResponseRules = {
  /** Label of the metric. */
  upstreamOf: (request: FastifyRequest) => string
  /** `bytes`: the body is passed on whole. `stream`: as it arrives. Absent, it ends here. */
  body?: 'bytes' | 'stream' | undefined
  /** Wraps the stream of a successful endless response. */
  guard?: ((request: FastifyRequest, reply: FastifyReply, stream: Readable) => Readable) | undefined
  /** What is sent instead of a large response; by default the response. */
  assemble?: (request: FastifyRequest, reply: FastifyReply, stream: Readable) => Readable
  /** The gateway, not the service, sets `cache-control`. */
  isData?: boolean
  /** Its 4xx may be pages. Those of the API are JSON. */
  servesPages?: boolean
  failures: GatewayMetrics['failures']
}

type Response = { statusCode: number; headers: IncomingHttpHeaders; stream: Readable }
type ReplyOptions = NonNullable<httpProxy.FastifyHttpProxyOptions['replyOptions']>

/** Returns the response of a service. Any failure is a 503 in the envelope. */
export function replyOptions(rules: ResponseRules): ReplyOptions {
  const fail = (request: FastifyRequest, reason: string, cause?: unknown) => {
    rules.failures.inc({ upstream: rules.upstreamOf(request), reason })
    return serviceUnavailable(cause)
  }
  /** Our own errors stay: an upload was too large or broke off, or the client of a read has gone. */
  const broken = (request: FastifyRequest, error: unknown) =>
    error instanceof AppError ? error : fail(request, reasonOf(error), error)
  return {
    // `onResponse` sets them, because the plugin copies headers before the status is known.
    rewriteHeaders: () => ({}),
    retryDelay: ({ req, err, attempt }) => (shouldRetry(req, err, attempt) ? 1 : null),
    onError: (reply, { error }) => {
      const { cause = error } = error
      reply.send(isInvalidRequest(cause) ? malformed(cause) : broken(reply.request as FastifyRequest, cause))
    },
    onResponse: (rawRequest, rawReply, response) => {
      const [request, reply] = [rawRequest as FastifyRequest, rawReply as FastifyReply] // this server is HTTP/1
      const { statusCode, headers, stream } = response as unknown as Response
      // A refusal does not wait for the rest of an upload. The gateway reads and drops the rest, because on a
      // connection that closes under way the client would seldom read the refusal.
      if (rules.body === 'stream') reply.removeHeader('connection')
      if (!isWithinContract(rules, statusCode, headers)) {
        stream.resume().on('error', () => undefined) // read to the end, so that the connection can be used again
        const cause = new Error(`${rules.upstreamOf(request)} answered ${statusCode} outside the contract`)
        reply.send(statusCode === HEAD_TOO_LARGE ? headTooLarge() : fail(request, 'invalid_response', cause))
        return
      }
      if (isLikeChunked(request, headers)) reply.header('transfer-encoding', 'chunked')
      const pass = (body: Readable | Buffer) => {
        reply.headers(responseHeaders(headers, rules.isData))
        return reply.send(Buffer.isBuffer(body) && statusCode >= 400 ? withWholeId(reply, body) : body)
      }
      if (isSmall(request, headers)) collect(stream, pass, (error) => reply.send(broken(request, error)))
      else
        pass(
          rules.guard && isEndless(request, statusCode, headers)
            ? rules.guard(request, reply, stream)
            : (rules.assemble?.(request, reply, stream) ?? stream),
        )
    },
  }
}

/** A service takes a smaller head than the gateway, and the headers that the gateway adds make it grow. */
const HEAD_TOO_LARGE = 431
const headTooLarge = () => new AppError('bad_request', 'The head of the request is too large')

/** Services get only the beginning of a long request id. The envelope names the whole id. */
function withWholeId(reply: FastifyReply, body: Buffer): Buffer {
  const { id } = reply.request
  if (passedId(id) === id) return body
  const envelope = ErrorEnvelope.safeParse(body.toString())
  if (!envelope.success) return body
  const whole = Buffer.from(JSON.stringify({ error: { ...envelope.data.error, request_id: id } }))
  reply.header('content-length', whole.length)
  return whole
}

const ErrorEnvelope = z
  .string()
  .transform((text, ctx): unknown => {
    try {
      return JSON.parse(text)
    } catch {
      ctx.addIssue('is not JSON')
      return z.NEVER
    }
  })
  .pipe(z.object({ error: z.looseObject({}) }))

/** Responses up to this size are collected first. Larger and endless ones pass through as they arrive. */
const MAX_COLLECTED_BYTES = 64 * 1024

function isSmall({ method }: FastifyRequest, headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length']
  return method !== 'HEAD' && length !== undefined && Number(length) <= MAX_COLLECTED_BYTES
}

/** HEAD has the headers of GET, and GET sends a body without a length in chunks. */
const isLikeChunked = ({ method }: FastifyRequest, headers: IncomingHttpHeaders) =>
  method === 'HEAD' && headers['content-length'] === undefined

/** Collects the whole body. If it breaks off, the client can still get a 503. */
function collect(stream: Readable, done: (body: Buffer) => void, failed: (error: Error) => void): void {
  const chunks: Buffer[] = []
  stream
    .on('data', (chunk: Buffer) => chunks.push(chunk))
    .on('end', () => done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    .on('error', failed)
}

const isEndless = ({ method }: FastifyRequest, status: number, headers: IncomingHttpHeaders) =>
  method !== 'HEAD' && status === 200 && headers['content-type']?.startsWith(EVENT_STREAM_MEDIA_TYPE) === true

const isRead = ({ method }: Pick<FastifyRequest, 'method'>) => method === 'GET' || method === 'HEAD'

/** Only the first failure of a read on a connection that the service closed as idle. */
function shouldRetry(request: Pick<FastifyRequest, 'method'>, error: unknown, attempt: number): boolean {
  return isRead(request) && attempt === 0 && ['UND_ERR_SOCKET', 'ECONNRESET'].includes(codeOf(error))
}

/** Errors of a service are JSON. Other errors come from something between it and the gateway. */
function isWithinContract(
  { servesPages }: ResponseRules,
  status: number,
  headers: IncomingHttpHeaders,
): boolean {
  if (status < 200 || status > 599 || status === HEAD_TOO_LARGE) return false
  if (status < (servesPages ? 500 : 400)) return true
  return /^application\/json\b/.test(headers['content-type'] ?? '')
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown'

const isInvalidRequest = (error: unknown) => codeOf(error) === 'UND_ERR_INVALID_ARG'

const malformed = (cause: unknown) => new AppError('bad_request', 'The request is malformed', { cause })

const reasonOf = (error: unknown) => (codeOf(error).includes('TIMEOUT') ? 'timeout' : 'unreachable')

import replyFrom from '@fastify/reply-from'
import { AppError } from '@whereabouts/service-kit/app-error'
import { serviceUnavailable } from '@whereabouts/service-kit/errors'
import type { Counter } from '@whereabouts/service-kit/metrics'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import { passedId, responseHeaders } from './headers.ts'

/** A service that does not even accept a connection in this time counts as away. */
const CONNECT_TIMEOUT_MS = 2_000

/**
 * How both ways of forwarding connect; `keepAliveMs` is how long a connection may idle. reply-from accepts any
 * certificate unless told otherwise, and remembers parsed URLs, which carry ids here.
 */
export const proxyOptions = (keepAliveMs: number) => ({
  undici: {
    connections: 256,
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs, // a service may offer longer; it would still be there when the service closes
    connect: { timeout: CONNECT_TIMEOUT_MS, rejectUnauthorized: true },
  },
  destroyAgent: true,
  disableCache: true,
  disableRequestLogging: true,
})

/** Makes `forward` usable on the routes of this scope. */
export function addProxy(scope: FastifyInstance, keepAliveMs: number): void {
  scope.register(replyFrom, proxyOptions(keepAliveMs))
}

/** A service that says nothing for so long in the middle of an endless answer is gone: a sign of life comes every 15 s. */
const SILENCE_MS = 60_000

/**
 * The same for answers without end. They have connections of their own: each keeps one for itself, and the others
 * would soon wait for theirs. How many there may be is for the service to say.
 */
export function addStreamProxy(
  scope: FastifyInstance,
  { read, keepAlive }: { read: number; keepAlive: number },
): void {
  const options = proxyOptions(keepAlive)
  const undici = { ...options.undici, connections: 10_000, headersTimeout: read, bodyTimeout: SILENCE_MS }
  scope.register(replyFrom, { ...options, undici })
}

export type Target = {
  /** For the metric. */
  upstream: string
  /** Scheme, host and port. */
  origin: string
  /** Absolute, escaped, without a query: that of the request is passed on as it is. */
  path: string
  headers: Record<string, string>
  body?: Buffer | undefined
  /** The body is `request.body`, a stream, and is passed on as it arrives. */
  isUpload?: boolean
  /** Undefined where the scope has its own. */
  timeoutMs: number | undefined
  /** What to send instead of a successful answer that has no end. */
  guard?: ((stream: Readable) => Readable) | undefined
  /** How long its answers may be kept is said here, not by the service. */
  isData?: boolean
  /** Its 4xx may be pages. Those of the API are JSON, whoever answers. */
  servesPages?: boolean
  failures: Counter<'upstream' | 'reason'>
}

type UpstreamAnswer = { statusCode: number; headers: IncomingHttpHeaders; stream: Readable }

/** Sends the request on and passes the answer back; whatever goes wrong on the way is a 503 in the envelope. */
export function forward(reply: FastifyReply, target: Target): FastifyReply {
  const fail = (reason: string, cause?: unknown) => {
    target.failures.inc({ upstream: target.upstream, reason })
    return serviceUnavailable(cause)
  }
  return reply.from(`${target.origin}${target.path}`, {
    // null: no body, whatever the client may have announced; GET and HEAD must not name one at all.
    ...(!isRead(reply.request) && !target.isUpload && { body: target.body ?? null }),
    contentType: target.headers['content-type'] ?? 'application/octet-stream',
    ...(target.timeoutMs !== undefined && { timeout: target.timeoutMs }),
    rewriteRequestHeaders: () => target.headers,
    rewriteHeaders: () => ({}), // set below, once the answer has been judged
    retryDelay: ({ err, attempt }) => (shouldRetry(reply.request, err, attempt) ? 1 : null),
    onError: (_reply, { error }) => {
      const { cause = error } = error
      if (cause instanceof AppError)
        reply.send(cause) // of an upload that was too large, or broke off
      else reply.send(isInvalidRequest(cause) ? malformed(cause) : fail(reasonOf(cause), cause))
    },
    onResponse: (_request, _reply, answer) => {
      const { statusCode, headers, stream } = answer as unknown as UpstreamAnswer
      // A refusal need not wait for the rest of an upload, which is read and dropped: on a connection that is closed
      // under way the client would seldom get to read it.
      if (target.isUpload) reply.removeHeader('connection')
      if (isOurAnswer(target, statusCode, headers)) {
        if (isLikeChunked(reply.request, headers)) reply.header('transfer-encoding', 'chunked')
        const pass = (body: Readable | Buffer) => {
          reply.headers(responseHeaders(headers, target.isData))
          return reply.send(Buffer.isBuffer(body) && statusCode >= 400 ? underItsId(reply, body) : body)
        }
        if (isSmall(reply.request, headers))
          collect(stream, pass, (error) => reply.send(fail(reasonOf(error), error)))
        else pass(isEndless(reply.request, statusCode) && target.guard ? target.guard(stream) : stream)
        return
      }
      stream.resume().on('error', () => undefined) // read to the end, so that the connection can be used again
      if (statusCode === HEAD_TOO_LARGE) {
        reply.send(headTooLarge())
        return
      }
      reply.send(fail('rubbish', new Error(`${target.upstream} answered ${statusCode} outside the contract`)))
    },
  })
}

/** The head is larger than a service takes, and not larger than we do: what we tell it of the path makes it grow. */
const HEAD_TOO_LARGE = 431
const headTooLarge = () => new AppError('bad_request', 'The head of the request is too large')

/** An error of a service that was told the beginning of a long id only; the envelope names the whole of it. */
function underItsId(reply: FastifyReply, body: Buffer): Buffer {
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

/** Answers up to this size are gathered first. Larger ones, and those that never end, pass through as they come. */
const MAX_GATHERED_BYTES = 64 * 1024

function isSmall({ method }: FastifyRequest, headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length']
  return method !== 'HEAD' && length !== undefined && Number(length) <= MAX_GATHERED_BYTES
}

/** HEAD has the headers of GET, and what has no length is sent in chunks there. */
const isLikeChunked = ({ method }: FastifyRequest, headers: IncomingHttpHeaders) =>
  method === 'HEAD' && headers['content-length'] === undefined

/** Hands over the whole body, or the error when it breaks off: then the client can still be told. */
function collect(stream: Readable, done: (body: Buffer) => void, failed: (error: Error) => void): void {
  const chunks: Buffer[] = []
  stream
    .on('data', (chunk: Buffer) => chunks.push(chunk))
    .on('end', () => done(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    .on('error', failed)
}

const isEndless = ({ method }: FastifyRequest, status: number) => method !== 'HEAD' && status === 200

const isRead = ({ method }: FastifyRequest) => method === 'GET' || method === 'HEAD'

/** Only a read on a connection that the service had just closed for idleness: nothing was done, and nothing waits. */
function shouldRetry(request: FastifyRequest, error: unknown, attempt: number): boolean {
  return isRead(request) && attempt === 0 && ['UND_ERR_SOCKET', 'ECONNRESET'].includes(codeOf(error))
}

/** Errors of a service are JSON. Anything else comes from something between us and it. */
function isOurAnswer({ servesPages }: Target, status: number, headers: IncomingHttpHeaders): boolean {
  if (status < 200 || status > 599 || status === HEAD_TOO_LARGE) return false
  if (status < (servesPages ? 500 : 400)) return true
  return /^application\/json\b/.test(headers['content-type'] ?? '')
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown'

const isInvalidRequest = (error: unknown) => codeOf(error) === 'UND_ERR_INVALID_ARG'

const malformed = (cause: unknown) => new AppError('bad_request', 'The request is malformed', { cause })

const reasonOf = (error: unknown) => (codeOf(error).includes('TIMEOUT') ? 'timeout' : 'unreachable')

import { errorTypes, helpLink, type ErrorEnvelope } from '@whereabouts/contracts/errors'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../errors/app-error.ts'
import { dropBody } from './drop-body.ts'
import { bodyTooLarge, serviceUnavailable, tookTooLong } from '../errors/errors.ts'
import { isUnavailable } from '../errors/unavailable.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The error for a body above the limit of the route, instead of 413; undefined: 413 after all. */
    tooLarge?: (request: FastifyRequest) => AppError | undefined
  }
}

/** The envelope of one failed request (D3). `path` is shown without its query string. */
export function errorEnvelope(error: AppError, path: string, requestId: string): ErrorEnvelope {
  const { status, title } = errorTypes[error.type]
  const body: ErrorEnvelope['error'] = {
    type: error.type,
    title,
    status,
    detail: error.message,
    instance: withoutQuery(path),
    request_id: requestId,
  }
  if (error.fields) body.fields = [...error.fields]
  if (error.conflict) body.conflict = error.conflict
  if (error.cursor) body.cursor = error.cursor
  if (error.secondFactor) body.second_factor = true
  if (error.count !== undefined) body.count = error.count
  return { error: body }
}

export function withoutQuery(url: string): string {
  const at = url.indexOf('?')
  return at === -1 ? url : url.slice(0, at)
}

/** The gateway rebuilds paths. In this header it sends the path of the caller's request, byte for byte. */
export const REQUEST_PATH_HEADER = 'x-request-path'

/** The path of the caller's request, without its query string. */
export const requestedPath = ({ headers, url }: FastifyRequest) =>
  withoutQuery(String(headers[REQUEST_PATH_HEADER] ?? url))

/** Fastify's error handler: answers every error with the envelope. */
export async function handleError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const isTooLarge = (error as Partial<FastifyError>).code === 'FST_ERR_CTP_BODY_TOO_LARGE'
  const { bodyLimit, config } = request.routeOptions
  const known = isTooLarge ? (config?.tooLarge?.(request) ?? bodyTooLarge(bodyLimit)) : toAppError(error)
  if (known.status >= 500 && !known.isCounted)
    request.log.error({ err: known.cause ?? error }, 'request failed')
  if (isTooLarge) {
    reply.removeHeader('connection') // Fastify would end the connection while the client still sends
    dropBody(request.raw)
  }
  return reply
    .status(known.status)
    .headers({ ...helpLink(known.type), ...known.headers, 'content-type': 'application/json' })
    .send(errorEnvelope(known, requestedPath(request), request.id))
}

/** SQLSTATE of a statement that was stopped at its timeout. */
const QUERY_CANCELED = '57014'
/** SQLSTATE of a write beyond what the organization may store (ADR 91). Its message is for the caller. */
export const BEYOND_LIMIT = 'WB409'

/** Our own errors stay as they are. The framework's 4xx become `bad_request`. Any other error hides its cause. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  const { code, statusCode } = error as Partial<FastifyError>
  if (code?.startsWith('FST_') && statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new AppError('bad_request', 'The request is malformed', { cause: error })
  if (code === BEYOND_LIMIT) return new AppError('conflict', (error as Error).message)
  if (code === QUERY_CANCELED) return tookTooLong(error)
  if (isUnavailable(error)) return serviceUnavailable(error)
  return new AppError('internal_error', 'An unexpected error occurred', { cause: error })
}

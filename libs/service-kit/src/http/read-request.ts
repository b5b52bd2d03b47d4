import { PRINCIPAL_HEADER } from '@whereabouts/contracts/principal'
import { JSON_MEDIA_TYPE, sendsOn, type Route } from '@whereabouts/contracts/route'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { AppError } from '../errors/app-error.ts'
import { invalidToken, unsupportedMediaType } from '../errors/errors.ts'
import type { PrincipalVerifier } from './principal.ts'
import { decodeForm, decodeJsonObject, parsePairs } from './request-body.ts'
import { packingOf, refusePacked } from './headers/content-encoding.ts'
import { parsePageOrNothing, parsePart } from './validate.ts'

/** The caller, named by the gateway. Throws 401 if the row needs one and there is none. */
export async function readPrincipal(row: Route, request: FastifyRequest, verify: PrincipalVerifier) {
  if (row.access === 'none') return undefined
  const header = request.headers[PRINCIPAL_HEADER]
  const principal = await verify(typeof header === 'string' ? header : undefined)
  if (!principal) throw invalidToken()
  return principal
}

/** Throws 415 if the row takes a body, and that of the request has another media type or is packed. */
export function checkMediaType(row: Route, request: FastifyRequest): void {
  if (row.message) return void packingOf(request.headers)
  if (!row.body && !row.upload) return
  const allowed = row.upload?.mediaTypes ?? row.mediaTypes ?? [JSON_MEDIA_TYPE]
  if (!allowed.includes(mediaType(request))) throw unsupportedMediaType(allowed)
  refusePacked(request.headers)
}

const mediaType = (request: FastifyRequest) =>
  (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

/** What the handler gets. Throws the first problem, in the order of D2.8: path, query, body. */
export function readRequest(row: Route, request: FastifyRequest): Record<string, unknown> {
  return {
    principal: request.principal,
    params: row.params && parsePart(row.params, request.params, 'path'),
    query: readQuery(row, request),
    body: row.body && parsePart(row.body, readBody(row, request), 'body'),
    upload: row.upload && request.body,
    headers: request.headers,
    ...(row.conditional && { ifMatch: request.headers['if-match'] }),
    requestId: request.id,
    log: request.log,
    clientAddress: clientAddress(request),
    isHead: request.method === 'HEAD',
  }
}

function readQuery(row: Route, request: FastifyRequest): unknown {
  const at = request.url.indexOf('?')
  if (row.message || sendsOn(row)) return readOwnParameters(row, at === -1 ? '' : request.url.slice(at + 1))
  const pairs = at === -1 ? {} : parsePairs(request.url.slice(at + 1))
  if (!pairs) throw new AppError('bad_request', 'The query string is not valid percent-encoded UTF-8')
  if (row.query && !row.hasFixedOrder) return parsePart(row.query, pairs, 'query')
  return parsePageOrNothing(row, pairs)
}

/** Some devices and sign-on providers add parameters of their own to the URL, however they are encoded. Those are not read. */
function readOwnParameters({ query }: Route, text: string): unknown {
  if (!(query instanceof z.ZodObject)) return undefined
  const sent = new URLSearchParams(text)
  const own = Object.keys(query.shape).filter((name) => sent.has(name))
  return parsePart(query, Object.fromEntries(own.map((name) => [name, sent.getAll(name)])), 'query')
}

function readBody(row: Route, request: FastifyRequest): Record<string, unknown> {
  const bytes = request.body as Buffer | undefined
  const isForm = mediaType(request) === 'application/x-www-form-urlencoded'
  const body = isForm ? decodeForm(bytes) : decodeJsonObject(bytes)
  if (!row.emptyIsAbsent) return body
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== ''))
}

/** Of the caller, as the gateway saw it. */
export const clientAddress = ({ headers, ip }: FastifyRequest) =>
  String(headers['x-forwarded-for'] ?? ip)
    .split(',')
    .at(-1)
    ?.trim() ?? ip

import { namesType } from '@whereabouts/service-kit/http/headers/accept'
import { requestedPath } from '@whereabouts/service-kit/http/error-handler'
import { unknownRoute } from '@whereabouts/service-kit/errors/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { encodingFor } from '@whereabouts/service-kit/http/headers/encoding'
import type { Page } from './pages.ts'

/** Archives: some programs that download would store a compressed answer as it comes. */
const SENT_AS_IS = new Set(['application/gzip', 'application/zip'])

/** Sends a file compressed as the client accepts, or 304 if the client has it. `varies`: also with these headers. */
export async function sendFile(request: FastifyRequest, reply: FastifyReply, page: Page, varies = '') {
  reply.headers({ 'cache-control': page.cacheControl, etag: page.etag, vary: `${varies}accept-encoding` })
  if (reply.statusCode === 200 && request.headers['if-none-match'] === page.etag)
    return reply.status(304).send()
  const encoding = SENT_AS_IS.has(page.type) ? 'identity' : encodingFor(request.headers['accept-encoding'])
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.type(page.type).send(await page.bodyIn(encoding))
}

/** 404: a page for a person, the error envelope for a program (D12.15). */
export async function sendMissing(request: FastifyRequest, reply: FastifyReply, page: Page | undefined) {
  reply.headers({ 'cache-control': 'no-store', vary: 'accept, accept-encoding' })
  if (!page || !namesType(request.headers.accept, 'text/html')) throw unknownRoute(requestedPath(request))
  const encoding = encodingFor(request.headers['accept-encoding'])
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply
    .status(404)
    .type(page.type)
    .send(await page.bodyIn(encoding))
}

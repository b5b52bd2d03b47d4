import { AppError } from '@whereabouts/service-kit/app-error'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { encodingFor } from '@whereabouts/service-kit/encoding'
import type { Page } from './pages.ts'

/** A path with an extension is a file. */
export const IS_FILE = /\.[a-z0-9]+$/i

/** Sends a file compressed as the client accepts, or 304 if the client has it. Throws 404 for an absent file. */
export async function sendFile(request: FastifyRequest, reply: FastifyReply, page: Page | undefined) {
  if (!page) {
    reply.header('cache-control', 'no-store')
    throw new AppError('not_found', 'File not found')
  }
  reply.headers({ 'cache-control': page.cacheControl, etag: page.etag, vary: 'accept-encoding' })
  if (reply.statusCode === 200 && request.headers['if-none-match'] === page.etag)
    return reply.status(304).send()
  const encoding = encodingFor(request.headers['accept-encoding'])
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.type(page.type).send(await page.bodyIn(encoding))
}

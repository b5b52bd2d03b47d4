import { withoutQuery } from '@whereabouts/service-kit/error-handler'
import type { Logger } from '@whereabouts/service-kit/logging'
import type { Registry } from '@whereabouts/service-kit/metrics'
import { createServer } from '@whereabouts/service-kit/server'
import type { FastifyInstance } from 'fastify'
import type { Pages } from './pages.ts'

/** Pages load their own style sheet and nothing else: no script, no frame, no form, no other host. The empty icon is inline. */
const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; img-src data:; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** Serves the pages, to GET and HEAD. */
export function buildApp(deps: { log: Logger; registry: Registry; pages: Pages }): FastifyInstance {
  const app = createServer(deps)
  const { byPath, notFound } = deps.pages
  app.get('/*', async (request, reply) => {
    const page = byPath.get(withoutQuery(request.url)) ?? notFound
    reply.headers({ ...SECURITY_HEADERS, 'cache-control': page.cacheControl, etag: page.etag })
    if (page.status === 200 && request.headers['if-none-match'] === page.etag) return reply.status(304).send()
    return reply.status(page.status).type(page.type).send(page.body)
  })
  return app
}

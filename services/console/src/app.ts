import { AppError } from '@whereabouts/service-kit/app-error'
import { withoutQuery } from '@whereabouts/service-kit/error-handler'
import type { Logger } from '@whereabouts/service-kit/logging'
import type { Registry } from '@whereabouts/service-kit/metrics'
import { createServer } from '@whereabouts/service-kit/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { bodyFor, type Pages } from './pages.ts'
import { addSession, type SessionDeps } from './session/session.routes.ts'

/**
 * Scripts come only from this origin, none is inline, and no other host is contacted. Styles may be inline, because
 * Mantine writes its theme variables into the page.
 */
const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

type Settings = { version: string; reader_nats_url: string | null; reader_mqtt_url: string | null }

type Deps = SessionDeps & { log: Logger; registry: Registry; pages: Pages; settings: Settings }

/** Serves the web app and the sessions of browsers. */
export function buildApp(deps: Deps): FastifyInstance {
  const app = createServer(deps)
  addSession(app, deps)
  app.get('/session/settings', async (_request, reply) =>
    reply.header('cache-control', 'no-cache').send({ data: deps.settings }),
  )
  app.get('/*', async (request, reply) => sendPage(request, reply, deps.pages))
  return app
}

/** A path with an extension is a file. Any other path is a screen of the web app. */
const IS_FILE = /\.[a-z0-9]+$/i

function sendPage(request: FastifyRequest, reply: FastifyReply, { byPath, shell }: Pages): FastifyReply {
  const path = withoutQuery(request.url)
  const page = byPath.get(path) ?? (IS_FILE.test(path) || path.startsWith('/static/') ? undefined : shell)
  reply.headers(SECURITY_HEADERS)
  if (!page) {
    reply.header('cache-control', 'no-store')
    throw new AppError('not_found', 'File not found')
  }
  reply.headers({ 'cache-control': page.cacheControl, etag: page.etag, vary: 'accept-encoding' })
  if (request.headers['if-none-match'] === page.etag) return reply.status(304).send()
  const { encoding, body } = bodyFor(page, request.headers['accept-encoding'])
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.type(page.type).send(body)
}

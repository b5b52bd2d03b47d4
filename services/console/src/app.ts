import { withoutQuery } from '@whereabouts/service-kit/http/error-handler'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import { createServer } from '@whereabouts/service-kit/http/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addDocs, llmsOf, type Docs } from './docs.ts'
import { addDownloads, type Downloads } from './downloads.ts'
import type { Pages } from './pages.ts'
import { securityHeaders } from './security-headers.ts'
import { isScreen } from './screens.ts'
import { sendFile, sendMissing } from './send-file.ts'
import { addSession, type SessionDeps } from './session/session.routes.ts'

type Settings = { version: string; reader_nats_url: string | null; reader_mqtt_url: string | null }

type Deps = SessionDeps & {
  log: Logger
  registry: Registry
  pages: Pages
  docs: Docs
  downloads: Downloads
  settings: Settings
}

/** Serves the web app, the documentation, the packages of the clients and the sessions of browsers. */
export function buildApp(deps: Deps): FastifyInstance {
  const app = createServer(deps)
  addSession(app, deps)
  app.get('/session/settings', async (_request, reply) =>
    reply.header('cache-control', 'no-cache').send({ data: deps.settings }),
  )
  addDocs(app, deps.docs)
  addDownloads(app, deps.downloads, deps.pages.shell)
  app.get('/*', async (request, reply) => sendPage(request, reply, deps))
  return app
}

/** Files of the build, and screens of the web app. For any other path the app says that there is none (D12.15). */
async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { pages: { byPath, shell }, docs }: Pick<Deps, 'pages' | 'docs'>,
) {
  const path = withoutQuery(request.url)
  reply.headers(securityHeaders())
  const page = byPath.get(path) ?? (isScreen(path) ? shell : undefined) ?? llmsOf(docs, path)
  return page ? sendFile(request, reply, page) : sendMissing(request, reply, shell)
}

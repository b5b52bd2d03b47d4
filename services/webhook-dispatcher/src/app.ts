import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import type { PrincipalVerifier } from '@whereabouts/service-kit/http/principal'
import { serve } from '@whereabouts/service-kit/http/serve'
import { createServer } from '@whereabouts/service-kit/http/server'
import type { FastifyInstance } from 'fastify'
import { webhookHandlers, type WebhookDeps } from './webhooks/webhooks.handlers.ts'

export type AppDeps = WebhookDeps & { log: Logger; registry: Registry; verify: PrincipalVerifier }

/** The API of the service. It does not listen yet. */
export function buildApp(deps: AppDeps): FastifyInstance {
  const app = createServer({ log: deps.log, registry: deps.registry })
  serve(app, 'webhook-dispatcher', { verify: deps.verify, handlers: webhookHandlers(deps) })
  return app
}

import type { Rate, Take } from '@whereabouts/db/token-bucket'
import type { FastifyInstance } from 'fastify'
import type { KeyObject } from 'node:crypto'
import { buildApp } from './app.ts'
import { authenticator } from './auth/authenticator.ts'
import { gatewayCredential } from './auth/credential.ts'
import { keyDirectory } from './auth/key-directory.ts'
import type { KeyView } from './auth/key-view.ts'
import type { TokenVerifier } from './auth/token-verifier.ts'
import type { GatewayDeps } from './deps.ts'
import { rateLimiter } from './limits/rate-limiter.ts'

type Parts = Omit<GatewayDeps, 'authenticate' | 'limiter'> & {
  view: KeyView
  /** Whether the view is as new as the stream KEYS. */
  isCurrent: () => boolean
  verifier: TokenVerifier
  signingKey: KeyObject
  takeShared: (bucket: string, rate: Rate) => Promise<Take>
}

/** All parts of the gateway, connected. `main.ts` and the tests open the connections. Nothing is listening yet. */
export function wire({ view, isCurrent, verifier, signingKey, takeShared, ...deps }: Parts): FastifyInstance {
  const { log, metrics, upstreams } = deps
  const credential = gatewayCredential(signingKey)
  const { lookups, decisions } = metrics
  const directory = keyDirectory({ view, isCurrent, keysUrl: upstreams.keys, log, credential, lookups })
  const app = buildApp({
    ...deps,
    authenticate: authenticator({ verifier, directory, signingKey }),
    limiter: rateLimiter({ takeShared, log, decisions }),
  })
  app.addHook('onClose', () => directory.close())
  return app
}

import { JWKS_PATH } from '@whereabouts/contracts/resources/keys/token-claims'
import type { FastifyInstance } from 'fastify'
import type { SigningKeys } from './signing-keys.ts'

/** The public keys that verify access tokens. Not in the route table, because it is outside `/api/v1`. */
export function serveJwks(app: FastifyInstance, signingKeys: SigningKeys): void {
  app.get(JWKS_PATH, { config: { operationId: 'getJwks' } }, async (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=60')
      .header('content-type', 'application/json')
      .send({ keys: await signingKeys.publicKeys() }),
  )
}

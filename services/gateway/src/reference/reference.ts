import { publicDescription } from '@whereabouts/contracts/openapi'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import { toYaml } from './yaml.ts'

/** Paths of this folder's routes and of the key set: GET and HEAD, for anyone. */
export const REFERENCE_PATHS: readonly string[] = [
  '/api/openapi.json',
  '/api/openapi.yaml',
  '/openapi.json',
  '/openapi.yaml',
  '/.well-known/jwks.json',
]

/** The machine-readable description, made once from the route table, and its old addresses. */
export function addReference(app: FastifyInstance): void {
  const description = publicDescription()
  app.get('/api/openapi.json', documentRoute('application/json', JSON.stringify(description)))
  app.get('/api/openapi.yaml', documentRoute('application/yaml; charset=utf-8', toYaml(description)))
  for (const name of ['openapi.json', 'openapi.yaml'])
    app.get(`/${name}`, async (_request, reply) => reply.redirect(`/api/${name}`, 301))
}

function documentRoute(type: string, text: string) {
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  return async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers({ etag, 'cache-control': 'public, max-age=300' })
    if (request.headers['if-none-match'] === etag) return reply.status(304).send()
    return reply.type(type).send(text)
  }
}

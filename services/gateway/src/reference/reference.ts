import { messageDescription } from '@whereabouts/contracts/description/asyncapi'
import {
  legacyDescription,
  publicDescription,
  type Description,
} from '@whereabouts/contracts/description/openapi'
import type { RouteTable } from '@whereabouts/contracts/route'
import { LEGACY_BASE } from '@whereabouts/contracts/routes'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createHash } from 'node:crypto'
import { pageHeaders, referencePage } from './page.ts'
import { messagePaths, referencePaths } from './paths.ts'
import { addScript } from './script.ts'
import { toYaml } from './yaml.ts'

/**
 * Serves each vocabulary's description, made once from the route table, its old addresses, and a page for it, and the
 * description of messages. They name `publicUrl`, never the Host of a request: caches keep them for others.
 */
export function addReference(app: FastifyInstance, routes: RouteTable, publicUrl: string): void {
  app.register(async (scope) => {
    const script = await addScript(scope)
    addVocabulary(scope, '', publicDescription(routes, publicUrl), script)
    addVocabulary(scope, LEGACY_BASE, legacyDescription(routes, publicUrl), script)
    addDescription(scope, messagePaths, messageDescription(publicUrl))
  })
}

function addVocabulary(app: FastifyInstance, base: string, description: Description, script: string): void {
  const { page, json, yaml, redirects } = referencePaths(base)
  addDescription(app, { json, yaml }, description)
  for (const [from, to] of Object.entries(redirects))
    app.get(from, async (_request, reply) => reply.redirect(to, 301))
  const { html, policy } = referencePage(description.info.title, script, json, base)
  app.get(page, textRoute('text/html; charset=utf-8', html, pageHeaders(policy)))
}

function addDescription(
  app: FastifyInstance,
  paths: { json: string; yaml: string },
  description: object,
): void {
  app.get(paths.json, textRoute('application/json', JSON.stringify(description)))
  app.get(paths.yaml, textRoute('application/yaml; charset=utf-8', toYaml(description)))
}

function textRoute(type: string, text: string, headers: Record<string, string> = {}) {
  const etag = `"${digestOf(text)}"`
  return async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers({ ...headers, etag, 'cache-control': 'public, max-age=300' })
    if (request.headers['if-none-match'] === etag) return reply.status(304).send()
    return reply.type(type).send(text)
  }
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('base64url').slice(0, 22)

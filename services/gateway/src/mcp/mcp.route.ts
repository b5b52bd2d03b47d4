import { createMcpHandler } from '@modelcontextprotocol/server'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { RequestClient } from '@whereabouts/service-kit/observe/request-client'
import { REQUEST_ID_HEADER } from '@whereabouts/service-kit/http/request-id'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { GatewayDeps } from '../deps.ts'
import { charge, limitOf } from '../limits/charge.ts'
import { MCP_PATH } from '../pipeline/allowed-methods.ts'
import { passedId } from '../proxy/headers.ts'
import { reader } from './read.ts'
import { screensOf } from './rows.ts'
import { mcpServer } from './server.ts'

/** Arguments are short. */
const MAX_BYTES = 16 * 1_024
/** Of the reads of tools: the client's own name may be one that the web filter refuses. */
const AGENT = 'whereabouts-mcp'

/** Headers of a request that the protocol reads. */
const PROTOCOL_HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const

/**
 * Serves tools for assistants by the Model Context Protocol (D12.17, ADR 113): each request on its own, in the current
 * and the earlier revisions. Nobody can set the `User-Agent` of most assistants, so the web filter lets them pass.
 */
export function addMcp(app: FastifyInstance, deps: GatewayDeps): void {
  const screens = screensOf(deps.publicUrl)
  const ownOrigin = new URL(deps.publicUrl).origin

  async function admit(request: FastifyRequest) {
    const { origin } = request.headers
    if (origin !== undefined && origin !== ownOrigin)
      throw new AppError('forbidden', 'Pages of other origins may not use this path')
    const token = await deps.bearerOfDevice(request)
    request.caller = await deps.authenticate(token)
    request.principal = request.caller.principal
    request.bearer = token
  }

  app.decorateRequest('bearer', undefined)
  app.post(
    MCP_PATH,
    { bodyLimit: MAX_BYTES, config: { operationId: 'useTools', servesAll: true }, onRequest: admit },
    async (request, reply) => {
      const { caller, bearer } = request
      if (!caller || bearer === undefined) throw new Error('nobody was admitted')
      const text = Buffer.isBuffer(request.body) ? request.body.toString() : ''
      const message = parse(text)
      if (Array.isArray(message)) return reply.status(400).type('application/json').send(NO_BATCHES)
      // A call counts as the reads that it makes.
      if (methodOf(message) !== 'tools/call') await charge(deps.limiter, caller, limitOf(caller))
      const read = reader(app, {
        headers: {
          authorization: `Bearer ${bearer}`,
          'user-agent': AGENT,
          [REQUEST_ID_HEADER]: passedId(request.id),
        },
        ip: request.ip,
        signal: new RequestClient(reply.raw).signal,
      })
      const server = () => mcpServer(caller.principal, { read, screens }, deps.log)
      // A subscription would outlive the check of its caller, and no list of tools changes.
      const handler = createMcpHandler(server, { maxSubscriptions: 0 })
      const answer = await handler.fetch(messageOf(request, text))
      const type = answer.headers.get('content-type')
      if (type !== null) reply.type(type)
      return reply.status(answer.status).send(await answer.text())
    },
  )
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The access token of the caller of a tool. */
    bearer: string | undefined
  }
}

/** The request as the library takes it, with the headers that it needs and no credentials. */
function messageOf({ headers }: FastifyRequest, body: string): Request {
  const sent = PROTOCOL_HEADERS.flatMap((name): [string, string][] =>
    headers[name] === undefined ? [] : [[name, String(headers[name])]],
  )
  return new Request(`http://localhost${MCP_PATH}`, { method: 'POST', headers: sent, body })
}

/** Undefined for a body that cannot be parsed: the library says so. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const methodOf = (message: unknown) =>
  typeof message === 'object' && message !== null && 'method' in message ? message.method : undefined

const NO_BATCHES = JSON.stringify({
  jsonrpc: '2.0',
  error: { code: -32_600, message: 'Send one message in a request' },
  id: null,
})

import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'

type Seen = {
  method: string
  url: string
  headers: Record<string, string | string[] | undefined>
  body: Buffer | undefined
}

export type Respond = (request: FastifyRequest, reply: FastifyReply) => unknown

/** A service on a real socket that records its requests. */
export type StandIn = {
  origin: string
  /** Oldest first. */
  seen: Seen[]
  /** Replaces the response, an empty 200 JSON object, to all requests. */
  respondWith(respond: Respond): void
  /** Stops listening, so that the port refuses connections. */
  stop(): Promise<void>
}

export async function startStandIn(): Promise<StandIn> {
  const app = fastify({ forceCloseConnections: true, bodyLimit: 10 * 1024 * 1024 })
  const seen: Seen[] = []
  let respond: Respond = () => ({})
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.all('/*', async (request, reply) => {
    const { method, url, headers, body } = request
    seen.push({ method, url, headers, body: Buffer.isBuffer(body) ? body : undefined })
    return respond(request, reply)
  })
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    origin,
    seen,
    respondWith: (next) => {
      respond = next
    },
    stop: () => app.close(),
  }
}

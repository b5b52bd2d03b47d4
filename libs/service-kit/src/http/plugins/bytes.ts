import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

/** `request.body` is the bytes of the body, of any media type: they are parsed after the query (D2.8). */
export const bytes = fp(
  async (app: FastifyInstance) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  },
  { name: 'bytes' },
)

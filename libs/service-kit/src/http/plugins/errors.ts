import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { handleError, withoutQuery } from '../error-handler.ts'
import { unknownRoute } from '../../errors/errors.ts'

/** All errors have the envelope of D3, also that of an unknown route (D2.3). */
export const errors = fp(
  async (app: FastifyInstance) => {
    app.setErrorHandler(handleError)
    app.setNotFoundHandler((request) => {
      throw unknownRoute(withoutQuery(request.url))
    })
    // Expectations other than `100-continue` are ignored. Node would answer 417 itself, without the envelope.
    app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  },
  { name: 'errors' },
)

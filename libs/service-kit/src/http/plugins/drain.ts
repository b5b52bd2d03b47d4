import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyInstance {
    /** From now on each answer ends its connection. Requests are still served, on old and new connections. */
    endConnections(): void
  }
}

/** During a shutdown each answer ends its connection: an idle connection would delay the shutdown until its timeout. */
export const drain = fp(
  async (app: FastifyInstance) => {
    let ending = false
    app.decorate('endConnections', () => void (ending = true))
    app.addHook('preClose', async () => app.endConnections())
    app.addHook('onSend', async (_request, reply) => {
      if (ending) reply.header('connection', 'close')
    })
  },
  { name: 'drain' },
)

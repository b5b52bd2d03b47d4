import fastify from 'fastify'
import { Gauge, type Registry } from './metrics.ts'

export type Readiness = () => Promise<Record<string, boolean>> | Record<string, boolean>

export type Ops = {
  port: number
  /** From now on `/readyz` answers 503, whatever the checks say: the first step of a shutdown. */
  unready(): void
  close(): Promise<void>
}

/**
 * Serves `/healthz`, `/readyz` and `/metrics` on a port of their own, which nothing public reaches. Liveness checks no
 * dependency: restarting a service does not bring its database back.
 */
export async function startOps(options: {
  host: string
  port: number
  registry: Registry
  ready: Readiness
  /** How far something is that takes its time, for who waits for it; shown by `/readyz` and of no influence on it. */
  progress?: () => Record<string, unknown>
}): Promise<Ops> {
  const app = fastify({ logger: false })
  let stopping = false
  measureChecks(options)
  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const checks = await options.ready()
    const ready = !stopping && Object.values(checks).every(Boolean)
    return reply
      .status(ready ? 200 : 503)
      .send({ ready, stopping, checks, ...(options.progress && { progress: options.progress() }) })
  })
  app.get('/metrics', async (_request, reply) =>
    reply.header('content-type', options.registry.contentType).send(await options.registry.metrics()),
  )
  await app.listen({ host: options.host, port: options.port })
  const address = app.server.address()
  return {
    port: typeof address === 'object' && address ? address.port : options.port,
    unready: () => {
      stopping = true
    },
    close: async () => {
      app.server.closeAllConnections()
      await app.close()
    },
  }
}

/** The same checks as `/readyz`, asked anew by each scrape. */
function measureChecks({ registry, ready }: { registry: Registry; ready: Readiness }): void {
  const gauge: Gauge<'check'> = new Gauge({
    name: 'readiness_check',
    help: '1 where what this service needs to be ready is there.',
    labelNames: ['check'],
    registers: [],
    collect: async () => {
      for (const [check, isThere] of Object.entries(await ready())) gauge.set({ check }, isThere ? 1 : 0)
    },
  })
  registry.registerMetric(gauge)
}

import fastify from 'fastify'
import { buildInfo } from '../observe/build-info.ts'
import { gauge, type Registry } from '../observe/metrics.ts'

/** By name, whether each thing is there. */
export type Checks = () => Promise<Record<string, boolean>> | Record<string, boolean>

export type Ops = {
  port: number
  /** Makes `/readyz` answer 503 from now on, regardless of the checks: the first step of a shutdown. */
  unready(): void
  close(): Promise<void>
}

/**
 * Serves `/healthz`, `/readyz` and `/metrics` on a separate port, which is not public. `/healthz` names the build and
 * checks no dependency: restarting a service does not bring its database back.
 */
export async function startOps(options: {
  host: string
  port: number
  registry: Registry
  /** What this process needs to answer HTTP requests. `/readyz` fails while one of them fails. */
  ready: Checks
  /** What it works without, with less. Shown by `/readyz`; it does not change the status. */
  optional?: Checks
  /** Progress of a slow start, shown by `/readyz`. It does not change the status. */
  progress?: () => Record<string, unknown>
}): Promise<Ops> {
  const app = fastify({ forceCloseConnections: true })
  let stopping = false
  measureChecks(options)
  app.get('/healthz', () => ({ status: 'ok', ...buildInfo() }))
  app.get('/readyz', async (_request, reply) => {
    const [checks, optional] = await Promise.all([options.ready(), options.optional?.()])
    const ready = !stopping && Object.values(checks).every(Boolean)
    return reply.status(ready ? 200 : 503).send({
      ready,
      stopping,
      checks,
      ...(optional && { optional }),
      ...(options.progress && { progress: options.progress() }),
    })
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
    close: async () => app.close(),
  }
}

/** The same checks as `/readyz`, run again by each scrape. */
const measureChecks = ({ registry, ready }: { registry: Registry; ready: Checks }): void =>
  gauge(
    registry,
    'readiness_check',
    '1 if this check of readiness succeeds.',
    async () =>
      Object.entries(await ready()).map(([check, isThere]) => ({
        labels: { check },
        value: isThere ? 1 : 0,
      })),
    ['check'],
  )

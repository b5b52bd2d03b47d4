import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import { createServiceLogger, type Logger } from '../observe/logging.ts'
import { createRegistry, type Registry } from '../observe/metrics.ts'
import { startTracing } from '../observe/spans.ts'
import { ConfigError, type commonEnv } from './env.ts'
import { startOps } from './ops.ts'
import { checkOrder, part, startParts, type Part, type Phase } from './part.ts'

/**
 * Runs the phases one after the other. Each may take `graceMs`; then the next one begins. A failed phase is logged
 * and does not prevent the later ones.
 */
export async function shutDown(phases: readonly Phase[], graceMs: number, log: Logger): Promise<void> {
  for (const phase of phases) {
    if (phase.isUp === false) continue
    const startedAt = Date.now()
    const outcome = await withinGrace(phase, graceMs).catch((error: unknown) => {
      log.error({ err: error, phase: phase.name }, 'shutdown phase failed')
      return 'failed' as const
    })
    log.info({ phase: phase.name, outcome, duration_ms: Date.now() - startedAt }, 'shutdown phase')
  }
}

async function withinGrace(phase: Phase, graceMs: number): Promise<'done' | 'timed out'> {
  const timer = new AbortController()
  const late = wait(graceMs + (phase.extraMs ?? 0), 'timed out' as const, { signal: timer.signal, ref: true })
  try {
    return await Promise.race([Promise.resolve(phase.run()).then(() => 'done' as const), late])
  } finally {
    timer.abort()
    late.catch(() => undefined) // the aborted timer rejects
  }
}

type Drain = {
  ops: { unready(): void }
  app: { endConnections(): void }
  /**
   * Must be longer than clients keep idle connections, and longer than a balancer needs to notice that we are not
   * ready.
   */
  drainMs: number
}

/**
 * The first phase of a shutdown that no client notices. `/readyz` answers 503, so that balancers use other replicas.
 * Requests are still served, and each answer ends its connection. After `drainMs` no client has an open connection on
 * which it could send a request while we close it.
 */
export const drainPhase = ({ ops, app, drainMs }: Drain): Phase => ({
  name: 'drain',
  extraMs: drainMs,
  run: () => {
    ops.unready()
    app.endConnections()
    return wait(drainMs)
  },
})

/** Settings that each service has. */
type ServiceConfig = Readonly<z.output<z.ZodObject<typeof commonEnv>>>

/** What each service has before its own parts. */
export type Frame<C extends ServiceConfig> = {
  config: C
  log: Logger
  registry: Registry
  tracing: { stop(): unknown }
}

/** Also for tests, which read the parts of a service without starting it. */
export async function createFrame<C extends ServiceConfig>(service: string, config: C): Promise<Frame<C>> {
  const log = createServiceLogger(service, config.LOG_LEVEL)
  const tracing = await startTracing({ service, log, config })
  return { config, log, registry: createRegistry(service), tracing }
}

/** For `/readyz`, which answers once the API listens. `needs`: without it, the API does not listen yet. */
type Health = Omit<Parameters<typeof startOps>[0], 'host' | 'port' | 'registry'> & { needs?: Part }

/**
 * All parts of a service, in the order in which they stop: the drain first, then its own as `list` has them around its
 * API, the other port and the export of traces last.
 */
export function served(
  { config, registry, tracing }: Frame<ServiceConfig>,
  app: FastifyInstance,
  { needs, ...health }: Health,
  list: (api: Part) => readonly Part[],
): readonly Part[] {
  const { HOST: host, PORT: port, OPS_PORT, DRAIN_MS: drainMs } = config
  const api = part('api', { needs, start: () => app.listen({ host, port }), stop: () => app.close() })
  const ops = part('ops', {
    needs: api,
    start: () => startOps({ ...health, host, port: OPS_PORT, registry }),
    stop: (open) => Promise.all([open.close(), tracing.stop()]),
  })
  const drain = part('drain', {
    needs: ops,
    start: (open) => drainPhase({ ops: open, app, drainMs }),
    stop: (phase) => phase.run(),
    extraMs: drainMs,
  })
  return [drain, ...checkOrder(list(api)), ops]
}

/**
 * All of a main.ts. On SIGTERM or SIGINT, also during the start, what is up stops in order, and the process exits with
 * 0. A second signal exits at once. A bad configuration prints the variables to fix and exits with 78 (EX_CONFIG). If
 * a part cannot start, its cause is printed, the others stop in order, and the process exits with 1.
 */
export async function runService<C extends ServiceConfig>(
  service: string,
  load: () => C,
  partsOf: (frame: Frame<C>) => readonly Part[] | Promise<readonly Part[]>,
): Promise<void> {
  const stopping = new AbortController()
  let shutDownAll = async () => {}
  const leave = async (code: number) => {
    stopping.abort()
    await shutDownAll()
    process.exit(code)
  }
  try {
    const frame = await createFrame(service, load())
    const { config, log } = frame
    const stop = (signal: NodeJS.Signals) => {
      if (stopping.signal.aborted) process.exit(1)
      log.info({ signal }, 'shutting down')
      void leave(0)
    }
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
    const parts = await partsOf(frame)
    shutDownAll = () => shutDown(parts, config.SHUTDOWN_GRACE_MS, log)
    await startParts(parts, stopping.signal)
    log.info({ port: config.PORT, ops_port: config.OPS_PORT }, `${service} started`)
    setTimeout(collectGarbage, COLLECT_AFTER_MS).unref()
  } catch (error) {
    if (!stopping.signal.aborted) await leave(report(service, error)) // else it could not start because it stops
  }
}

/** All of the main.ts of a command. Its failures exit like those of a service. */
export async function start(command: string, main: () => Promise<void>): Promise<void> {
  await main().catch((error: unknown) => process.exit(report(command, error)))
}

/** Prints why a program could not start. Returns its exit code. */
function report(program: string, error: unknown): number {
  const isConfig = error instanceof ConfigError
  const text = isConfig ? error.message : error instanceof Error ? error.stack : String(error)
  process.stderr.write(`${program} could not start: ${text}\n`)
  return isConfig ? 78 : 1
}

/** By then a service has run its loops once, and traffic has not grown its heap yet. */
const COLLECT_AFTER_MS = 15_000

/**
 * What a start leaves behind, above all the sources of modules, fills 10 to 50 MB. V8 frees it only when the heap grows,
 * which an idle service's never does. Takes about 50 ms, once.
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
}

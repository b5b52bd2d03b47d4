import { setTimeout as wait } from 'node:timers/promises'
import { ConfigError } from './env.ts'
import type { Logger } from './logging.ts'

/** One step of a shutdown, in the order given: readiness, intake, in-flight work, broker, database. */
export type Phase = {
  name: string
  run: () => unknown
  /** What this phase may take beyond the grace that every phase has. */
  extraMs?: number
}

/**
 * Runs the phases one after the other; each may take `graceMs`, then the next begins all the same. A phase that
 * fails is logged and never keeps the later ones from running.
 */
export async function shutDown(phases: readonly Phase[], graceMs: number, log: Logger): Promise<void> {
  for (const phase of phases) {
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
    late.catch(() => undefined) // the aborted timer has nobody left to tell
  }
}

type Leaving = {
  ops: { unready(): void }
  app: { endConnections(): void }
  /** Longer than any client keeps an idle connection, and than a balancer needs to see that we are unready. */
  drainMs: number
}

/**
 * The first phase of a shutdown that nobody notices: `/readyz` answers 503, so that balancers look elsewhere, while
 * requests are still served, each on a connection that ends with its answer. After `drainMs` no client has a
 * connection left on which its next request could cross our closing of it.
 */
export const leave = ({ ops, app, drainMs }: Leaving): Phase => ({
  name: 'drain',
  extraMs: drainMs,
  run: () => {
    ops.unready()
    app.endConnections()
    return wait(drainMs)
  },
})

/** Resolves never: shuts down on SIGTERM or SIGINT and exits; a second signal exits at once. */
export function runUntilSignal(phases: readonly Phase[], options: { graceMs: number; log: Logger }): void {
  let stopping = false
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1)
    stopping = true
    options.log.info({ signal }, 'shutting down')
    void shutDown(phases, options.graceMs, options.log).finally(() => process.exit(0))
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

/**
 * The frame of every main.ts: a bad configuration prints what to fix and exits with 78 (EX_CONFIG), any other failure
 * to start prints its cause and exits with 1.
 */
export async function start(service: string, main: () => Promise<void>): Promise<void> {
  try {
    await main()
  } catch (error) {
    const text =
      error instanceof ConfigError ? error.message : error instanceof Error ? error.stack : String(error)
    process.stderr.write(`${service} could not start: ${text}\n`)
    process.exit(error instanceof ConfigError ? 78 : 1)
  }
}

import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { ConfigError } from './env.ts'
import type { Logger } from '../observe/logging.ts'

/** One step of a shutdown. The usual order: readiness, intake, in-flight work, broker, database. */
export type Phase = {
  name: string
  run: () => unknown
  /** Added to the grace period that each phase has. */
  extraMs?: number
}

/**
 * Runs the phases one after the other. Each may take `graceMs`; then the next one begins. A failed phase is logged
 * and does not prevent the later ones.
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

/** On SIGTERM or SIGINT, shuts down and exits. A second signal exits at once. */
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
 * The frame of every main.ts. A bad configuration prints the variables to fix and exits with 78 (EX_CONFIG). Any other
 * failure prints its cause and exits with 1.
 */
export async function start(service: string, main: () => Promise<void>): Promise<void> {
  try {
    await main()
    setTimeout(collectGarbage, COLLECT_AFTER_MS).unref()
  } catch (error) {
    const text =
      error instanceof ConfigError ? error.message : error instanceof Error ? error.stack : String(error)
    process.stderr.write(`${service} could not start: ${text}\n`)
    process.exit(error instanceof ConfigError ? 78 : 1)
  }
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

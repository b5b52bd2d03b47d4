import { statusOf, type Subscriptions } from '../subscriptions/subscriptions.ts'
import type { DispatcherMetrics } from '../metrics.ts'
import type { AdaptiveConcurrency } from './adaptive-concurrency.ts'
import { makeAttempt, readSecrets, type AttemptDeps } from './attempt.ts'
import type { AttemptLogs } from './attempt-logs.ts'
import { dropReason, waitAfter, type DropReason } from './attempts.rules.ts'
import type { Result } from './results.queries.ts'
import type { Slots } from './slots.ts'
import type { Target, Work } from './work.queries.ts'

/** While the subscription of an organization is unknown, keys is asked this often. Its events wait. */
export const ASK_EVERY_MS = 5_000
/** A fault of ours must not be repeated at once. */
const AFTER_FAULT_MS = 60_000

export type OutcomeDeps = AttemptDeps & {
  subscriptions: Subscriptions
  concurrency: AdaptiveConcurrency
  slots: Slots
  logs: AttemptLogs
  metrics: DispatcherMetrics
  random: () => number
}

/** `leavesRow`: false for an event that is passed over as if it had not been. */
export type Ending = Pick<Result, 'state' | 'attempt' | 'wait_ms'> & { leavesRow?: boolean }

/** Without an attempt. Undefined `waitMs`: until no earlier event of the same thing waits. */
export const postponed = (waitMs?: number): Ending => ({
  state: 'waiting',
  attempt: null,
  wait_ms: waitMs ?? null,
})

/**
 * What becomes of a delivery that is due: one attempt, or a drop. Never rejects. Undefined: `abort` aborted, and another
 * process makes the attempt.
 */
export async function outcomeOf(
  deps: OutcomeDeps,
  target: Target,
  work: Work,
  abort: AbortSignal,
): Promise<Ending | undefined> {
  try {
    return await attemptOrDrop(deps, target, work, abort)
  } catch (error) {
    if (abort.aborted) return undefined
    deps.log.error({ err: error, ...aboutOf(target, work) }, 'attempt could not be made')
    return postponed(AFTER_FAULT_MS)
  }
}

async function attemptOrDrop(
  deps: OutcomeDeps,
  target: Target,
  work: Work,
  abort: AbortSignal,
): Promise<Ending> {
  const { subscriptions, now, slots, concurrency, random } = deps
  const status = statusOf(subscriptions.get('org', target.org_id), now())
  if (status === 'unknown') return postponed(ASK_EVERY_MS)
  const reason = work.data === null ? 'event_removed' : dropReason(target, status, work)
  if (reason !== undefined) return drop(deps, target, work, reason)
  const secrets = readSecrets(deps, target)
  if (!secrets) return drop(deps, target, work, 'secret_unreadable')
  const { attempt, latencyMs } = await slots.use(target.id, () =>
    makeAttempt(deps, { target, work }, secrets, abort),
  )
  const isDelivered = attempt.error === null
  concurrency.report(target.id, isDelivered, latencyMs)
  count(deps, target, work, { isDelivered, attempt })
  if (isDelivered) return { state: 'delivered', attempt, wait_ms: null }
  const made = work.attempts + 1
  const wait = waitAfter(target.retry, { made, sinceFirstMs: work.sinceFirstMs }, random)
  if (wait !== undefined) return { state: 'waiting', attempt, wait_ms: wait }
  return { ...drop(deps, target, work, 'attempts_exhausted'), state: 'failed', attempt }
}

function count(
  { metrics, logs, log, now }: OutcomeDeps,
  target: Target,
  work: Work,
  { isDelivered, attempt }: { isDelivered: boolean; attempt: NonNullable<Result['attempt']> },
): void {
  const outcome = isDelivered ? 'delivered' : 'failed'
  metrics.attempted(outcome, attempt.latency_ms)
  const fields = {
    ...aboutOf(target, work),
    attempt: work.attempts + 1,
    outcome,
    status: attempt.status_code ?? undefined,
    latency_ms: attempt.latency_ms,
    error: attempt.error ?? undefined,
  }
  // Successes are in the delivery log and the metrics. Thousands of lines a second would add nothing.
  if (!isDelivered) return logs.failed(fields)
  log.debug(fields, 'delivery attempt')
  metrics.ended('delivered')
  metrics.deliveredAfter(now() - Date.parse(work.recorded_at))
}

function drop({ metrics, logs, log }: OutcomeDeps, target: Target, work: Work, reason: DropReason): Ending {
  const dropped = { state: 'dropped', attempt: null, wait_ms: null } as const
  if (reason === 'not_wanted' && work.kind !== 'due') return { ...dropped, leavesRow: false }
  metrics.dropped(reason)
  const fields = { ...aboutOf(target, work), reason, attempts: work.attempts }
  // No warning if the organization wants no deliveries.
  if (reason === 'disabled' || reason === 'not_wanted') log.debug(fields, 'delivery dropped')
  else logs.dropped(fields)
  return { ...dropped, leavesRow: work.kind === 'due' || reason !== 'subscription_lapsed' }
}

const aboutOf = ({ org_id, id }: Target, { delivery_id }: Work) => ({ org_id, webhook_id: id, delivery_id })

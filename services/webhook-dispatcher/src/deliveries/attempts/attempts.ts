import { Requeued } from '../lanes/requeued.ts'
import { postSigned, type Receiver } from '../../receivers/signed-request.ts'
import { statusOf } from '../../subscriptions/subscriptions.ts'
import { openSecrets, type SealedSecret } from '../../webhooks/secrets.ts'
import type { Target } from '../../webhooks/webhooks.queries.ts'
import { HOLD, MAX_ATTEMPTS, retryDelayMs, dropReason, type DropReason } from './attempts.rules.ts'
import type { AttemptDeps, Job, Signals } from './job.ts'
import { recordResult } from './record-result.ts'

/**
 * Makes the attempts of a delivery, until a 2xx or a drop. Rejects with Requeued if it is stopped before that, and with
 * errors of the database. After both, the delivery is retried without repeating the attempts made so far.
 */
export async function deliver(
  deps: AttemptDeps,
  job: Job,
  progress: () => void,
  signals: Signals,
): Promise<void> {
  if (job.deliveryCount > 1 && job.attempts === 0) {
    const { attempts, webhookId, delivered } = await deps.store.findProgress(
      job.orgId,
      job.payload.deliveryId,
    )
    if (delivered) return deps.metrics.ended('already_delivered')
    job.attempts = attempts
    if (webhookId !== undefined) job.webhookId ??= webhookId
  }
  const ending = await attemptUntilOver(deps, job, progress, signals)
  if (ending === 'delivered') countDelivered(deps, job)
  else drop(deps, job, ending)
}

async function attemptUntilOver(
  deps: AttemptDeps,
  job: Job,
  progress: () => void,
  signals: Signals,
): Promise<'delivered' | DropReason> {
  if (job.attempts >= MAX_ATTEMPTS) return 'attempts_exhausted'
  if (job.attempts > 0) await pauseFor(deps, retryDelayMs(job.attempts + 1, deps.random), signals)
  // Only the request holds a shared slot. Between attempts, the delivery waits in its lane.
  const result = await deps.bulkheads.use(job.orgId, signals.stopping, (onStart) =>
    attemptOnce(deps, job, onStart, signals),
  )
  progress()
  if (result === 'unknown' && !(await learnStatus(deps, job, signals))) return 'subscription_unknown'
  return result === 'failed' || result === 'unknown' ? attemptUntilOver(deps, job, progress, signals) : result
}

/** Waits until the subscription is known. False: keys was unreachable for too long. */
async function learnStatus(deps: AttemptDeps, job: Job, signals: Signals): Promise<boolean> {
  while (!(await deps.subscriptions.ask('org', job.orgId))) {
    if (job.heldMs >= HOLD.forMs) return false
    await pauseFor(deps, HOLD.askEveryMs, signals)
    job.heldMs += HOLD.askEveryMs
  }
  return true
}

function countDelivered({ metrics, now }: AttemptDeps, { receivedAt }: Job): void {
  metrics.ended('delivered')
  metrics.deliveredAfter(now() - receivedAt)
}

/** Counts and logs a dropped delivery. */
export function drop(
  { metrics, log, logs }: Pick<AttemptDeps, 'metrics' | 'log' | 'logs'>,
  job: Job,
  reason: DropReason,
): void {
  metrics.dropped(reason)
  const fields = { org_id: job.orgId, delivery_id: job.payload.deliveryId, reason, attempts: job.attempts }
  // No warning if the organization wants no deliveries.
  if (reason === 'no_webhook' || reason === 'disabled') log.debug(fields, 'delivery dropped')
  else logs.dropped(fields)
}

async function pauseFor({ wait }: AttemptDeps, ms: number, { stopping }: Signals): Promise<void> {
  try {
    await wait(ms, stopping)
  } catch (error) {
    throw stopping.aborted ? new Requeued() : error
  }
}

/** Checks webhook, toggle and subscription before each attempt (D11.3). The first look-up decides which webhook it is. */
async function attemptOnce(
  deps: AttemptDeps,
  job: Job,
  onStart: () => void,
  signals: Signals,
): Promise<'delivered' | 'failed' | 'unknown' | DropReason> {
  const target = await deps.store.findTarget(job.orgId)
  const status = statusOf(deps.subscriptions.get('org', job.orgId), deps.now())
  const reason = dropReason(target, status, job)
  if (target) job.webhookId ??= target.id
  if (reason !== undefined || !target) return reason ?? 'no_webhook'
  const secrets = readSecrets(deps, job, target)
  if (!secrets) return 'secret_unreadable'
  if (signals.stopping.aborted) throw new Requeued()
  const attemptedAt = deps.now()
  onStart()
  const result = await send(deps, job, { url: target.url, secrets }, attemptedAt, signals.abort)
  job.attempts += 1
  const delivered = result.error === undefined
  deps.bulkheads.report(job.orgId, delivered, result.latencyMs)
  await recordResult(deps, job, target.id, attemptedAt, result)
  return delivered ? 'delivered' : 'failed'
}

/** Undefined if the newest secret cannot be read. */
function readSecrets(
  { secrets, log }: AttemptDeps,
  job: Job,
  target: Target,
): Receiver['secrets'] | undefined {
  const onLost = (error: unknown, { secret_key_id }: SealedSecret) =>
    log.error(
      { err: error, org_id: job.orgId, webhook_id: target.id, secret_key_id },
      'webhook secret decryption failed',
    )
  try {
    return openSecrets((stored) => secrets.open(job.orgId, stored), target, onLost)
  } catch (error) {
    onLost(error, target)
    return undefined
  }
}

async function send(
  { post }: AttemptDeps,
  job: Job,
  receiver: Receiver,
  attemptedAt: number,
  abort: AbortSignal,
) {
  try {
    return await postSigned(post, receiver, job.payload, attemptedAt, abort)
  } catch (error) {
    throw abort.aborted ? new Requeued() : error
  }
}

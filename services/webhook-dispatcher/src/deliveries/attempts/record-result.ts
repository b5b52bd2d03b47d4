import { isTracing, recordSpan, spanTime } from '@whereabouts/service-kit/observe/spans'
import { childTrace, currentTrace } from '@whereabouts/service-kit/observe/trace'
import { attemptRecord } from '../../delivery-log/delivery-log.queries.ts'
import type { PostResult } from '../../receivers/http-post.ts'
import type { AttemptDeps, Job } from './job.ts'

/** Counts, traces and logs an attempt. Never rejects, because a missing log entry must not repeat the request. */
export async function recordResult(
  deps: Pick<AttemptDeps, 'store' | 'metrics' | 'log' | 'logs'>,
  job: Job,
  webhookId: number,
  attemptedAt: number,
  result: PostResult,
): Promise<void> {
  const { orgId, attempts, payload } = job
  const { statusCode, latencyMs, error } = result
  const attempt = { webhook_id: webhookId, delivery_id: payload.deliveryId, attempt: attempts, test: false }
  const record = attemptRecord({ ...attempt, attemptedAt }, result)
  const { outcome } = record
  deps.metrics.attempted(outcome, latencyMs)
  recordAttemptSpan(job, result)
  const about = { org_id: orgId, delivery_id: payload.deliveryId }
  const fields = { ...about, attempt: attempts, outcome, status: statusCode, latency_ms: latencyMs, error }
  // Successes are in the delivery log and the metrics. Thousands of lines a second would add nothing.
  if (outcome === 'delivered') deps.log.debug(fields, 'delivery attempt')
  else deps.logs.failed(fields)
  try {
    await deps.store.recordAttempt(orgId, record)
  } catch (failure) {
    deps.log.error({ err: failure, ...about }, 'attempt could not be logged')
  }
}

function recordAttemptSpan(job: Job, { statusCode, latencyMs, error }: PostResult): void {
  if (!isTracing() || !currentTrace()?.sampled) return
  recordSpan(childTrace(), {
    name: 'POST webhook',
    kind: 'client',
    startedAt: spanTime() - latencyMs,
    attributes: {
      'http.request.method': 'POST',
      'http.response.status_code': statusCode ?? undefined,
      org_id: job.orgId,
      delivery_id: job.payload.deliveryId,
      attempt: job.attempts,
    },
    failure: error,
  })
}

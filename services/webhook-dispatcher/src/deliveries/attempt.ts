import type { Logger } from '@whereabouts/messaging/connect/logger'
import { isTracing, recordSpan, spanTime } from '@whereabouts/service-kit/observe/spans'
import { childTrace, traceFrom } from '@whereabouts/service-kit/observe/trace'
import type { Attempt } from '../db.ts'
import { attemptOf } from '../delivery-log/attempt-log.queries.ts'
import { payloadOfRow } from '../receivers/payload.ts'
import type { Post, PostResult } from '../receivers/http-post.ts'
import { postSigned, type Receiver } from '../receivers/signed-request.ts'
import type { OpenedSecrets } from '../webhooks/opened-secrets.ts'
import { openSecrets, type SealedSecret } from '../webhooks/secrets.ts'
import type { Target, Work } from './work.queries.ts'

export type AttemptDeps = { secrets: OpenedSecrets; post: Post; log: Logger; now: () => number }

type About = { target: Target; work: Work }

/** Undefined if the newest secret cannot be read. */
export function readSecrets(
  { secrets, log }: Pick<AttemptDeps, 'secrets' | 'log'>,
  target: Target,
): Receiver['secrets'] | undefined {
  const onLost = (error: unknown, { secret_key_id }: SealedSecret) =>
    log.error(
      { err: error, org_id: target.org_id, webhook_id: target.id, secret_key_id },
      'webhook secret decryption failed',
    )
  try {
    return openSecrets((stored) => secrets.open(target.org_id, stored), target, onLost)
  } catch (error) {
    onLost(error, target)
    return undefined
  }
}

/** One request. Rejects only if `abort` aborts. */
export async function makeAttempt(
  { post, now }: AttemptDeps,
  { target, work }: About,
  secrets: Receiver['secrets'],
  abort: AbortSignal,
): Promise<{ attempt: Attempt; latencyMs: number }> {
  const at = now()
  const result = await postSigned(post, { url: target.url, secrets }, payloadOfRow(work), at, abort)
  recordAttemptSpan({ target, work }, result)
  return { attempt: attemptOf(at, result), latencyMs: result.latencyMs }
}

function recordAttemptSpan({ target, work }: About, { statusCode, latencyMs, error }: PostResult): void {
  if (!isTracing() || work.trace === null) return
  const parent = traceFrom({ traceparent: work.trace })
  if (!parent?.sampled) return
  recordSpan(childTrace(parent), {
    name: 'POST webhook',
    kind: 'client',
    startedAt: spanTime() - latencyMs,
    attributes: {
      'http.request.method': 'POST',
      'http.response.status_code': statusCode ?? undefined,
      org_id: target.org_id,
      delivery_id: work.delivery_id,
      attempt: work.attempts + 1,
    },
    failure: error,
  })
}

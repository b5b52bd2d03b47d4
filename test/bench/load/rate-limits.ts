import type { Stack } from '@whereabouts/deploy/workshop/stack/stack'
import { asAdministrator } from './database.ts'

/**
 * Sets the limits of keys by SQL, as an operator can, and in the same statement their new state for the gateway, as the
 * service itself writes it.
 */
export async function setLimits(stack: Stack, limits: ReadonlyMap<string, number>): Promise<void> {
  await asAdministrator(stack, (client) =>
    client.query(
      `with changed as (
         update keys.api_key k set rate_limit_per_minute = l.per_minute, revision = nextval('keys.revision_seq')
           from unnest($1::uuid[], $2::integer[]) as l (jti, per_minute) where k.jti = l.jti returning k.*)
       insert into keys.outbox (subject, msg_id, keep, payload, headers)
         select 'keys.key.' || jti, gen_random_uuid(), 'last', jsonb_build_object('org_id', org_id, 'id', id,
           'jti', jti, 'revision', revision, 'name', name, 'scopes', scopes, 'expires_at', expires_at,
           'revoked_at', revoked_at, 'rate_limit_per_minute', rate_limit_per_minute), '{}' from changed`,
      [[...limits.keys()], [...limits.values()]],
    ),
  )
}

/** Resolves when the gateway knows the raised limits: it learns of them through the broker. `callers` are headers. */
export async function untilLimited(stack: Stack, callers: readonly Record<string, string>[]): Promise<void> {
  const deadline = Date.now() + 10_000
  for (const headers of callers)
    while ((await limitOf(stack, headers)) <= 60)
      if (Date.now() > deadline) throw new Error('the gateway did not learn of the raised limits')
}

async function limitOf(stack: Stack, headers: Record<string, string>): Promise<number> {
  const response = await fetch(`${stack.urls.base}/api/v1/assets?limit=1`, { headers })
  await response.body?.cancel()
  return Number(response.headers.get('x-ratelimit-limit'))
}

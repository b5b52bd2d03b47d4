import { setTimeout as wait } from 'node:timers/promises'
import type { ApiKey } from '../../system/organization.ts'
import type { Work } from './saves.ts'

/** A key whose revocation was acknowledged. */
export type RevokedKey = { key: ApiKey; token: string; orgId: number }

const PAUSE_MS = 3_000
/** The second that a revocation may take (D9.3), and a little for this machine. */
const REVOKED_AFTER_MS = 1_500

/** Mints keys, uses them and revokes them until it is told to stop. */
export async function turnOverKeys({ tenant, caller, isStopping }: Work): Promise<RevokedKey[]> {
  const revoked: RevokedKey[] = []
  const path = `/api/v1/orgs/${tenant.id}/api-keys`
  const admin = { token: tenant.adminToken, needs: ['keys'] } as const
  const use = (token: string, expect: readonly number[]) =>
    caller.call({
      operation: 'use key',
      path: '/api/v1/assets?limit=1',
      token,
      needs: ['catalog', 'keys'],
      expect,
    })
  for (let n = 0; !isStopping(); n += 1) {
    await wait(PAUSE_MS)
    const body = { name: `turn ${n}`, scopes: ['assets:read', 'scans:write'] }
    const minted = await caller.call({
      ...admin,
      operation: 'mint key',
      method: 'POST',
      path,
      body,
      expect: [201],
    })
    if (minted.status !== 201) continue
    const made = minted.data as { id: number; client_id: string; client_secret: string }
    const key = { clientId: made.client_id, clientSecret: made.client_secret }
    const token = await exchange(caller, key, [200])
    if (token !== undefined) await use(token, [200])
    const answer = await caller.call({
      ...admin,
      operation: 'revoke key',
      method: 'DELETE',
      path: `${path}/${made.id}`,
      expect: [204],
    })
    if (answer.status !== 204 || token === undefined) continue
    revoked.push({ key, token, orgId: tenant.id })
    await wait(REVOKED_AFTER_MS)
    const late = await use(token, [200, 401])
    // Allowed only while the gateway cannot hear of it.
    if (late.status === 200)
      caller.failures.push({
        what: `key ${key.clientId} works after its revocation`,
        needs: ['gateway', 'keys', 'broker', 'postgres'],
        startedAtMs: answer.startedAtMs,
        endedAtMs: late.endedAtMs,
      })
  }
  return revoked
}

/** Returns the access token, if there is one. */
export async function exchange(
  caller: Work['caller'],
  key: ApiKey,
  expect: readonly number[],
): Promise<string | undefined> {
  const body = { grant_type: 'client_credentials', client_id: key.clientId, client_secret: key.clientSecret }
  const path = '/api/v1/oauth/token'
  const answer = await caller.call({
    operation: 'exchange key',
    method: 'POST',
    path,
    token: '',
    body,
    needs: ['keys'],
    expect,
  })
  return answer.status === 200 ? (answer.data as { access_token: string }).access_token : undefined
}

import type { Scope } from '@whereabouts/contracts/route'
import type { Session } from '@whereabouts/contracts/resources/keys/tokens'
import { randomBytes } from 'node:crypto'
import { type Api, ApiError } from './api.ts'
import { readPendingAdmin, writePendingAdmin, type Admin, type Credentials, type Demo } from './demo-file.ts'

const ORG_NAME = 'Riverside Logistics (demo)'
const ADMIN_NAME = 'Dana Demo'
const EMAIL = 'demo@whereabouts.example'

type KeyPlan = { name: string; scopes: Scope[] }
const API_KEY: KeyPlan = {
  name: 'Demo integrator',
  scopes: [
    'assets:read',
    'assets:write',
    'locations:read',
    'locations:write',
    'scans:read',
    'events:read',
    'scans:write',
    'tracking:read',
  ],
}
const READER_KEY: KeyPlan = { name: 'Demo readers', scopes: ['scans:write'] }

type Options = {
  api: Api
  dataDir: string
  /** From an earlier start. */
  kept: Demo | undefined
  onProgress: (text: string) => void
}

export type Organization = Pick<Demo, 'org_id' | 'admin' | 'api_key' | 'reader_key'> & {
  /** The administrator's access token, valid for an hour. */
  session: string
}

/** Signs in to the demo organization with the kept credentials. Creates missing parts and replaces invalid ones. */
export async function openOrganization({ api, dataDir, kept, onProgress }: Options): Promise<Organization> {
  const known = kept?.admin ?? readPendingAdmin(dataDir)
  let admin = known ?? newAdmin(EMAIL)
  let session = known && (await logIn(api, known))
  if (kept && !session) onProgress('creating a new organization, because the kept credentials are not valid')
  if (!session) ({ admin, session } = await signUp(api, dataDir, kept ? newAdmin(EMAIL) : admin))
  const orgId = session.org.id
  const keys = { api, orgId, token: session.access_token }
  const same = kept?.org_id === orgId
  return {
    org_id: orgId,
    admin,
    api_key: await workingKey(keys, API_KEY, same ? kept.api_key : undefined),
    reader_key: await workingKey(keys, READER_KEY, same ? kept.reader_key : undefined),
    session: session.access_token,
  }
}

function newAdmin(email: string): Admin {
  return { email, password: randomBytes(18).toString('base64url') }
}

/** Undefined when the credentials are refused. */
async function logIn(api: Api, body: Admin): Promise<Session | undefined> {
  return unlessStatus(401, async () => (await api('logIn', { body })).data)
}

/**
 * The email exists when the database outlived `demo.json` or the first response was lost. In the second case the
 * password works; otherwise another email is used.
 */
async function signUp(api: Api, dataDir: string, admin: Admin): Promise<{ admin: Admin; session: Session }> {
  writePendingAdmin(dataDir, admin)
  const body = { org_name: ORG_NAME, name: ADMIN_NAME, ...admin }
  const made = await unlessStatus(409, async () => (await api('signUp', { body })).data)
  const session = made ?? (await logIn(api, admin))
  if (session) return { admin, session }
  return signUp(api, dataDir, newAdmin(EMAIL.replace('@', `-${randomBytes(3).toString('hex')}@`)))
}

type KeyContext = { api: Api; orgId: number; token: string }

/**
 * The kept key if it still works, otherwise a new one. Then revokes other keys of that name, left by interrupted
 * runs.
 */
async function workingKey(
  context: KeyContext,
  plan: KeyPlan,
  kept: Credentials | undefined,
): Promise<Credentials> {
  if (kept && (await isAccepted(context.api, kept))) return kept
  await revokeKeysNamed(context, plan.name)
  const { api, orgId, token } = context
  const { data } = await api('createApiKey', { token, params: { org_id: orgId }, body: plan })
  return { client_id: data.client_id, client_secret: data.client_secret }
}

async function isAccepted(api: Api, credentials: Credentials): Promise<boolean> {
  const body = { grant_type: 'client_credentials' as const, ...credentials }
  return (await unlessStatus(401, () => api('createToken', { body }))) !== undefined
}

async function revokeKeysNamed({ api, orgId, token }: KeyContext, name: string): Promise<void> {
  const params = { org_id: orgId }
  const { data } = await api('listApiKeys', { token, params, query: { limit: '200' } })
  const leftovers = data.filter((key) => key.name === name)
  const revoke = (jti: string) => api('revokeApiKey', { token, params: { ...params, key_id: jti } })
  await Promise.all(leftovers.map((key) => unlessStatus(404, () => revoke(key.jti))))
}

async function unlessStatus<T>(status: number, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call()
  } catch (error) {
    if (error instanceof ApiError && error.status === status) return undefined
    throw error
  }
}

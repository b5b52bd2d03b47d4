import { randomUUID } from 'node:crypto'
import { scopes as allScopes, type Scope } from '@whereabouts/contracts/route'
import { fromNewAddress } from '../../system/addresses.ts'
import type { Api } from './api.ts'

/** An API key and its access token. Every key has its own rate-limit bucket (120 requests). */
export type Key = {
  id: number
  jti: string
  clientId: string
  clientSecret: string
  /** An access token. */
  token: string
  refreshToken: string
}

export type Organization = {
  id: number
  name: string
  /** The administrator's session token. */
  admin: string
  userId: number
  email: string
  password: string
  /** Creates a key and exchanges it. Default: every scope. */
  key(options?: {
    name?: string
    scopes?: readonly Scope[]
    expiresAt?: string
    reader_key?: string
  }): Promise<Key>
}

const PASSWORD = 'correct horse battery'

/** Signs up a new organization from its own address, because sign-ups are limited by address. */
export async function newOrganization(api: Api, name = 'Contract suite'): Promise<Organization> {
  const email = `ada-${randomUUID()}@example.com`
  const signUp = { org_name: name, name: 'Ada', email, password: PASSWORD }
  const {
    access_token: admin,
    org,
    user,
  } = (await succeed(api.call('signUp', { body: signUp, headers: fromNewAddress() }))).body.data
  const minter = minterOf(api, org.id, admin)
  return {
    id: org.id,
    name,
    admin,
    userId: user.id,
    email,
    password: PASSWORD,
    async key({ name: keyName = 'integrator', scopes = allScopes, expiresAt, reader_key } = {}) {
      const bound = reader_key !== undefined && { reader_key }
      const body = {
        name: keyName,
        scopes,
        ...(expiresAt !== undefined && { expires_at: expiresAt }),
        ...bound,
      }
      const { id, jti, client_id, client_secret } = await minter.mint(body)
      const { access_token, refresh_token } = await exchange(api, client_id, client_secret)
      return {
        id,
        jti,
        clientId: client_id,
        clientSecret: client_secret,
        token: access_token,
        refreshToken: refresh_token,
      }
    },
  }
}

/** Below what a bucket holds (120), so that the administrator has requests left. */
const MINTS_PER_BUCKET = 90

/** Creating keys is counted, so after a while a key with `keys:admin`, which has its own bucket, creates them. */
function minterOf(api: Api, orgId: number, admin: string) {
  let minted = 0
  let token = Promise.resolve(admin)
  const mint = async (body: object) => {
    const call = { params: { org_id: orgId }, token: await token, body }
    return (await succeed(api.call('createApiKey', call))).body.data
  }
  async function nextMinter(): Promise<string> {
    const { client_id, client_secret } = await mint({ name: 'minter', scopes: ['keys:admin'] })
    return (await exchange(api, client_id, client_secret)).access_token
  }
  return {
    mint(body: object) {
      minted += 1
      if (minted % MINTS_PER_BUCKET === 0) token = nextMinter()
      return mint(body)
    },
  }
}

async function exchange(api: Api, clientId: string, clientSecret: string) {
  const body = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret }
  return (await succeed(api.call('createToken', { body }))).body
}

/** Returns a 2xx reply. Throws for any other, because the preparation of a test failed. */
export async function succeed<T extends { status: number; text: string }>(reply: Promise<T>): Promise<T> {
  const { status, text } = await reply
  if (status < 200 || status > 299)
    throw new Error(`a request of the preparation was answered ${status}: ${text}`)
  return reply
}

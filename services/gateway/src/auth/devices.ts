import { routePath, routes } from '@whereabouts/contracts/routes'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { readBasic, writeBasic } from '@whereabouts/service-kit/http/client-credentials'
import { missingAuthorization, serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { LRUCache } from 'lru-cache'
import { createHash } from 'node:crypto'
import { Agent, request } from 'undici'
import { z } from 'zod'
import type { Authenticate, Caller } from './authenticator.ts'
import { readBearer } from './bearer.ts'
import type { IncomingHttpHeaders } from 'node:http'

/** The caller of a route for devices: a bearer token, or HTTP Basic with the id and secret of a key. */
export type AuthenticateDevice = (device: Device) => Promise<Caller>
/** Its token: the one that it sends, or the one for which its id and secret were exchanged. */
export type BearerOfDevice = (device: Device) => Promise<string>
type Device = { headers: IncomingHttpHeaders; ip: string }

type Options = { authenticate: Authenticate; keysUrl: string; log: Logger; now?: () => number }

const TOKEN_PATH = routePath(routes.createToken)
const TIMEOUT_MS = 2_000
/** A token is exchanged for a new one this long before it expires. */
const RENEWED_MS = 60_000
const MAX_DEVICES = 10_000

const Tokens = z.object({ access_token: z.string(), expires_in: z.number() })
type Exchanged = { token: string; until: number }

/**
 * Exchanges the credentials for a token at the token endpoint, once in its life, and then treats the device like a caller
 * with that token. So a revocation binds as fast, and wrong credentials are throttled as there.
 */
export function deviceAuthenticator({ authenticate, keysUrl, log, now = Date.now }: Options) {
  const agent = new Agent()
  /** By digest of id and secret, so that no memory dump has the secrets. Wrong ones are never in it. */
  const exchanged = new LRUCache<string, Exchanged>({ max: MAX_DEVICES })
  const asking = new Map<string, Promise<Exchanged>>()

  async function exchange(authorization: string, ip: string): Promise<Exchanged> {
    const { statusCode, headers, body } = await request(`${keysUrl}${TOKEN_PATH}`, {
      method: 'POST',
      headers: {
        authorization,
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': ip,
      },
      body: 'grant_type=client_credentials',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      dispatcher: agent,
    })
    if (statusCode === 200) {
      const { access_token: token, expires_in } = Tokens.parse(await body.json())
      return { token, until: now() + expires_in * 1_000 - RENEWED_MS }
    }
    await body.dump()
    if (statusCode === 429) throw tooManyAttempts(String(headers['retry-after'] ?? '6'))
    if (statusCode < 500) throw wrongCredentials()
    throw new Error(`keys answered ${statusCode}`)
  }

  async function tokenOf(authorization: string, ip: string): Promise<string> {
    const credentials = readBasic(authorization)
    if (!credentials) throw wrongCredentials()
    const basic = writeBasic(credentials)
    const digest = createHash('sha256').update(basic).digest('base64')
    const known = exchanged.get(digest)
    if (known && known.until > now()) return known.token
    const asked = asking.get(digest) ?? exchange(basic, ip).finally(() => asking.delete(digest))
    asking.set(digest, asked)
    const fresh = await asked.catch((error: unknown) => {
      if (error instanceof AppError) throw error
      log.warn({ err: error }, 'device credentials could not be exchanged')
      throw serviceUnavailable(error)
    })
    exchanged.set(digest, fresh)
    return fresh.token
  }

  const bearerOfDevice: BearerOfDevice = async ({ headers, ip }) => {
    const { authorization } = headers
    if (authorization === undefined || authorization.trim() === '') throw missingCredentials()
    return /^basic /i.test(authorization) ? await tokenOf(authorization, ip) : readBearer(headers)
  }
  const authenticateDevice: AuthenticateDevice = async (device) => authenticate(await bearerOfDevice(device))
  return { authenticateDevice, bearerOfDevice, close: () => agent.close() }
}

/** Names both schemes: many HTTP libraries send credentials only after a challenge. */
const challenge = (detail: string) =>
  new AppError('unauthorized', detail, {
    headers: { 'www-authenticate': 'Basic realm="api", charset="UTF-8", Bearer realm="api"' },
  })
const missingCredentials = () => challenge(missingAuthorization().message)
const wrongCredentials = () => challenge('The id or the secret of the API key is wrong')
const tooManyAttempts = (seconds: string) =>
  new AppError('rate_limited', `Retry after ${seconds} seconds`, { headers: { 'retry-after': seconds } })

import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { bodyNotObject, invalidToken, malformedJson } from '@whereabouts/service-kit/errors/errors'
import { unsupportedMediaType } from '@whereabouts/service-kit/errors/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { SessionCookie } from './cookie.ts'
import { DEVICE_HEADER, SIGN_ON_HEADER, type CallKeys, type KeysResponse } from './keys.ts'

export type SessionDeps = {
  callKeys: CallKeys
  cookie: SessionCookie
  deviceCookie: SessionCookie
  /** Keys sets it when a sign-on starts. */
  signOnCookie: Pick<SessionCookie, 'read'>
}

/** The refresh token goes into the cookie; scripts get the rest. */
const SessionResponse = z.object({ data: z.looseObject({ refresh_token: z.string() }) })

type Body = Record<string, unknown>

/**
 * Browser sessions: operations of keys, with the refresh token in a cookie instead of the body. Scripts keep the access
 * token, valid for an hour, in memory.
 */
export function addSession(
  app: FastifyInstance,
  { callKeys, cookie, deviceCookie, signOnCookie }: SessionDeps,
): void {
  const route = (
    name: string,
    handle: (request: FastifyRequest, reply: FastifyReply, body: Body) => Promise<FastifyReply>,
  ) =>
    app.post(`/session/${name}`, async (request, reply) => {
      refuseOtherSites(request)
      reply.header('cache-control', 'no-store')
      return handle(request, reply, readBody(request))
    })

  /** Stores the token in the cookie; undefined deletes it. */
  const storeToken = (reply: FastifyReply, token: string | undefined) =>
    reply.header('set-cookie', cookie.write(token, reply.request.headers.cookie))

  /** Passes on a response of keys. A new session also sets the cookie. */
  function pass(reply: FastifyReply, response: KeysResponse): FastifyReply {
    const { [DEVICE_HEADER]: device, ...headers } = response.headers
    reply.status(response.status).headers(headers)
    if (device !== undefined) reply.header('set-cookie', deviceCookie.write(device))
    if (response.status >= 300) return reply.send(response.text)
    const { data } = SessionResponse.parse(JSON.parse(response.text))
    const { refresh_token: token, ...shown } = data
    return storeToken(reply, token).send({ data: shown })
  }

  /** Renews the session of the cookie. Deletes the cookie if keys refuses it. */
  async function renew(request: FastifyRequest, reply: FastifyReply, more: Body): Promise<FastifyReply> {
    const token = cookie.read(request.headers.cookie)
    if (token === undefined) throw invalidToken()
    const response = await callKeys('refresh', { refresh_token: token, ...more }, request)
    if (response.status === 401) storeToken(reply, undefined)
    return pass(reply, response)
  }

  for (const [name, operation] of OPENING)
    route(name, async (request, reply, body) => {
      // Asks for a new one, even without one.
      const device = deviceCookie.read(request.headers.cookie) ?? ''
      return pass(reply, await callKeys(operation, body, request, { [DEVICE_HEADER]: device }))
    })

  // The browser must be the one that signed on, or a link with somebody else's code would sign it in as them.
  route('sign-on', async (request, reply, body) => {
    const own = signOnCookie.read(request.headers.cookie) ?? ''
    return pass(reply, await callKeys('oidc/session', body, request, { [SIGN_ON_HEADER]: own }))
  })

  // Most pages ask before they know whether there is a session. Without a cookie there is nothing to refuse.
  route('refresh', async (request, reply) =>
    cookie.read(request.headers.cookie) === undefined ? reply.status(204).send() : renew(request, reply, {}),
  )
  route('switch', (request, reply, body) => renew(request, reply, { org_id: body['org_id'] ?? null }))

  route('sign-out', async (request, reply) => {
    const token = cookie.read(request.headers.cookie)
    const response =
      token === undefined ? undefined : await callKeys('logout', { refresh_token: token }, request)
    // Keeps the cookie if keys failed: the next attempt needs it.
    if (response && response.status >= 500)
      return reply.status(response.status).headers(response.headers).send(response.text)
    return storeToken(reply, undefined).status(204).send()
  })
}

/** Routes that open a session, with the operation of keys. */
const OPENING = [
  ['sign-up', 'signup'],
  ['sign-in', 'login'],
  ['accept-invitation', 'accept-invitation'],
] as const

/**
 * Browsers send the cookie with every request, so they must confirm that our own page sends it. Pages of other sites
 * cannot change either header.
 */
function refuseOtherSites({ headers }: FastifyRequest): void {
  if (!isOwnPage(headers))
    throw new AppError('forbidden', 'Sessions are only for the console. Programs use the API.')
  if (!/^application\/json\b/i.test(headers['content-type'] ?? ''))
    throw unsupportedMediaType(['application/json'])
}

/** Over plain HTTP, browsers send only `Origin`. It must match the requested host. */
function isOwnPage(headers: FastifyRequest['headers']): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin = '' } = headers
  return URL.canParse(origin) && new URL(origin).host === headers['x-forwarded-host']
}

function readBody({ body }: FastifyRequest): Body {
  if (!Buffer.isBuffer(body) || body.length === 0) return {}
  const value = parsed(body)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bodyNotObject()
  return value as Body
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw malformedJson()
  }
}

import { AppError } from '@whereabouts/service-kit/app-error'
import { bodyNotObject, invalidToken, malformedJson } from '@whereabouts/service-kit/errors'
import { unsupportedMediaType } from '@whereabouts/service-kit/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { SessionCookie } from './cookie.ts'
import type { AskKeys, KeysAnswer } from './keys.ts'

export type SessionDeps = { askKeys: AskKeys; cookie: SessionCookie }

/** What may be sent to scripts stays; the refresh token goes into the cookie. */
const SessionAnswer = z.object({ data: z.looseObject({ refresh_token: z.string() }) })

type Body = Record<string, unknown>

/**
 * Sessions of browsers: the operations of keys, with the refresh token in a cookie instead of in the body. Scripts hold
 * an access token, which is good for an hour and lives in memory.
 */
export function addSession(app: FastifyInstance, { askKeys, cookie }: SessionDeps): void {
  const route = (
    name: string,
    answer: (request: FastifyRequest, reply: FastifyReply, body: Body) => Promise<FastifyReply>,
  ) =>
    app.post(`/session/${name}`, async (request, reply) => {
      refuseOtherSites(request)
      reply.header('cache-control', 'no-store')
      return answer(request, reply, readBody(request))
    })

  /** Stores the token in the browser; undefined takes it away. */
  const keep = (reply: FastifyReply, token: string | undefined) =>
    reply.header('set-cookie', cookie.write(token, reply.request.headers.cookie))

  /** Passes an answer of keys on; of a new session with its cookie. */
  function pass(reply: FastifyReply, answer: KeysAnswer): FastifyReply {
    reply.status(answer.status).headers(answer.headers)
    if (answer.status >= 300) return reply.send(answer.text)
    const { data } = SessionAnswer.parse(JSON.parse(answer.text))
    const { refresh_token: token, ...shown } = data
    return keep(reply, token).send({ data: shown })
  }

  /** Continues the session of the cookie. One that cannot be continued is forgotten. */
  async function proceed(request: FastifyRequest, reply: FastifyReply, more: Body): Promise<FastifyReply> {
    const token = cookie.read(request.headers.cookie)
    if (token === undefined) throw invalidToken()
    const answer = await askKeys('refresh', { refresh_token: token, ...more }, request)
    if (answer.status === 401) keep(reply, undefined)
    return pass(reply, answer)
  }

  for (const [name, operation] of OPENING)
    route(name, async (request, reply, body) => pass(reply, await askKeys(operation, body, request)))

  route('refresh', (request, reply) => proceed(request, reply, {}))
  route('switch', (request, reply, body) => proceed(request, reply, { org_id: body['org_id'] ?? null }))

  route('sign-out', async (request, reply) => {
    const token = cookie.read(request.headers.cookie)
    const answer =
      token === undefined ? undefined : await askKeys('logout', { refresh_token: token }, request)
    // Kept where keys could not end the session: the next attempt needs it.
    if (answer && answer.status >= 500)
      return reply.status(answer.status).headers(answer.headers).send(answer.text)
    return keep(reply, undefined).status(204).send()
  })
}

/** What opens a session, here and at keys. */
const OPENING = [
  ['sign-up', 'signup'],
  ['sign-in', 'login'],
  ['accept-invitation', 'accept-invitation'],
] as const

/**
 * The cookie comes with whatever a browser sends here, so the browser has to say that our own page sends it: neither
 * header can be changed by the page of another site.
 */
function refuseOtherSites({ headers }: FastifyRequest): void {
  if (!isOwnPage(headers))
    throw new AppError('forbidden', 'Sessions are for the console itself; programs use the API')
  if (!/^application\/json\b/i.test(headers['content-type'] ?? ''))
    throw unsupportedMediaType(['application/json'])
}

/** Over plain HTTP browsers do not say which site asks, only its origin, which is to be the host that was asked. */
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

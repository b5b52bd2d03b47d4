import { z } from 'zod'
import { Id } from '../../rules/ids.ts'
import { WireInstant } from '../../rules/instant.ts'
import { dataOf } from '../../rules/query.ts'
import { JSON_MEDIA_TYPE, type Route } from '../../route.ts'
import { isCommonPassword } from './common-passwords.ts'
import { addProblem, Name, text } from '../../rules/text.ts'

export const grantTypes = ['client_credentials', 'refresh_token'] as const

/**
 * The required fields depend on `grant_type`, so the handler checks them. Client credentials may also be sent with HTTP
 * Basic. Unknown fields are ignored (D12.1).
 */
export const TokenRequest = z
  .object({
    grant_type: z.enum(grantTypes),
    client_id: text(1, 255).optional(),
    client_secret: text(1, 255).optional(),
    refresh_token: z.string().optional(),
    scope: z.string().optional().meta({
      description: 'Scopes of the key, separated by spaces. Limits the tokens to these. Defaults to all.',
      example: 'assets:read locations:read',
    }),
  })
  .meta({
    id: 'TokenRequest',
    example: {
      grant_type: 'client_credentials',
      client_id: '8f14e45f-ceea-467f-a8d6-1c5e3b1d6b7a',
      client_secret: `wb_${'0123456789abcdef'.repeat(4)}`,
    },
  })
export type TokenRequest = z.infer<typeof TokenRequest>

const Tokens = z
  .object({
    access_token: z.string().meta({
      description: 'A JWT that expires after `expires_in` seconds. Treat it as opaque.',
      example: 'eyJhbGciOiJFZERTQSIsImtpZCI6ImsxIn0.eyJ0eXAiOiJrZXkifQ.c2lnbmF0dXJl',
    }),
    refresh_token: z.string().meta({
      description: 'Expires after 30 days and works once.',
      example: 'q8Jx2u0l7mXnKQvB1yqWm3sV5tZcR9dEfGhIjKlMnOp',
    }),
    token_type: z.literal('Bearer'),
    expires_in: z.int().meta({ example: 900 }),
  })
  .meta({ id: 'SessionTokens' })

/** The response of the token endpoint. */
export const TokenPair = Tokens.extend({
  scope: z.string().meta({
    description: 'The scopes of the tokens, separated by spaces.',
    example: 'assets:read locations:read',
  }),
}).meta({ id: 'TokenPair' })

export const Email = text(3, 254)
  .check((payload) => {
    if (!/^[^\s@]+@[^\s@]+$/.test(payload.value))
      addProblem(payload, { code: 'invalid_value', message: '{f} must be an e-mail address' })
  })
  .meta({ override: { format: 'email', minLength: 3, maxLength: 254 } })

/** An existing password: if it was once allowed, it must work for ever. */
export const ExistingPassword = text(1, 255, { control: 'lines' })

/** Of an authenticator app, or a recovery code. Spaces and hyphens do not count. */
export const OneTimeCode = text(1, 64)

/** A new password (D15.2). It must also differ from the e-mail address, see `passwordProblem`. */
export const Password = text(10, 128, { control: 'lines' }).check((payload) => {
  if (isCommonPassword(payload.value))
    addProblem(payload, {
      code: 'invalid_value',
      message: '{f} is one of the most common passwords; choose another one',
    })
})

const sameText = (a: string, b: string) =>
  a.normalize('NFKC').trim().toLowerCase() === b.normalize('NFKC').trim().toLowerCase()

/** A problem of a new password that `Password` does not check; undefined if there is none. */
export const passwordProblem = (field: string, password: string, email: string) =>
  sameText(password, email)
    ? ({
        field,
        code: 'invalid_value',
        message: `${field} must not be the e-mail address; choose another one`,
      } as const)
    : undefined

export const UserView = z
  .object({ id: Id, name: z.string(), email: z.string(), role: z.string().meta({ example: 'admin' }) })
  .meta({ id: 'User' })

/** What became of the mail that a request causes (D15.1). */
export const MailOutcome = z.enum(['sent', 'not configured', 'address not verified'])

export const Session = Tokens.extend({
  user: UserView,
  org: z.object({ id: Id, name: z.string(), created_at: WireInstant }),
}).meta({ id: 'Session' })
export type Session = z.infer<typeof Session>

const SignedUp = Session.extend({ mail: MailOutcome }).meta({ id: 'SignedUp' })

const Refresh = z.strictObject({ refresh_token: text(1, 255) })
/** With `org_id` the session continues in that organization of the user. */
const RefreshInto = Refresh.extend({ org_id: Id.optional() })

const open = { upstream: 'keys', access: 'none', counted: false } as const

export const tokenRoutes = {
  createToken: {
    ...open,
    method: 'POST',
    path: '/oauth/token',
    described: true,
    summary: 'Exchange credentials for an access token',
    description:
      'With `grant_type` `client_credentials`, send `client_id` and `client_secret` in the body or by HTTP Basic. ' +
      'With `grant_type` `refresh_token`, send `refresh_token`. A refresh token works once: a second use revokes ' +
      'every token that came from it. `scope` limits the tokens, and all tokens refreshed from them, to some scopes ' +
      'of the key. The body may also be JSON or `application/x-www-form-urlencoded`, with the same fields. Responds with 429 after repeated failures. Do not cache the response ' +
      '(`Cache-Control: no-store`).',
    mediaTypes: [JSON_MEDIA_TYPE, 'application/x-www-form-urlencoded'],
    body: TokenRequest,
    emptyIsAbsent: true,
    success: { status: 200, schema: TokenPair },
    errors: ['validation_error', 'bad_request', 'unauthorized', 'rate_limited'],
  },
  signUp: {
    ...open,
    method: 'POST',
    path: '/auth/signup',
    described: false,
    summary: 'Create an organization and its first administrator',
    body: z.strictObject({
      org_name: Name,
      name: Name,
      email: Email,
      password: Password,
    }),
    success: { status: 201, schema: dataOf(SignedUp) },
    errors: ['validation_error', 'bad_request', 'forbidden', 'conflict', 'rate_limited'],
  },
  logIn: {
    ...open,
    method: 'POST',
    path: '/auth/login',
    described: false,
    summary: 'Sign in',
    description:
      'Opens a session in `org_id`, or in the organization that the user joined first. If the user has one-time codes, a right ' +
      'password without a right `code` gets 401 with `error.second_factor`.',
    body: z.strictObject({
      email: text(1, 254),
      password: ExistingPassword,
      code: OneTimeCode.optional(),
      org_id: Id.optional(),
    }),
    success: { status: 200, schema: dataOf(Session) },
    errors: ['validation_error', 'bad_request', 'unauthorized', 'forbidden', 'rate_limited'],
  },
  refreshSession: {
    ...open,
    method: 'POST',
    path: '/auth/refresh',
    described: false,
    summary: 'Refresh the tokens of a session',
    body: RefreshInto,
    success: { status: 200, schema: dataOf(Session) },
    errors: ['validation_error', 'bad_request', 'unauthorized', 'not_found', 'rate_limited'],
  },
  logOut: {
    ...open,
    method: 'POST',
    path: '/auth/logout',
    described: false,
    summary: 'End a session',
    body: Refresh,
    success: { status: 204 },
    errors: ['validation_error', 'bad_request', 'rate_limited'],
  },
} as const satisfies Record<string, Route>

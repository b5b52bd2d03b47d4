import { z } from 'zod'
import type { Route } from '../../route.ts'
import { dataOf, textParameter } from '../../rules/query.ts'
import { text } from '../../rules/text.ts'
import { Session } from './tokens.ts'

/** Where a browser keeps what proves that it began a sign-on. Over HTTPS with the prefix `__Host-`. */
export const SIGN_ON_COOKIE = 'whereabouts_sign_on'
/** The console's server sends the value of that cookie, or an empty one, with `openSignOnSession`. */
export const SIGN_ON_HEADER = 'x-sign-on'

/** Why a sign-on ended without a session. The sign-in screen has a text for each. */
export const signOnProblems = [
  'expired',
  'refused',
  'unavailable',
  'failed',
  'no_access',
  'no_address',
  'address_taken',
  'address_unverified',
] as const
export type SignOnProblem = (typeof signOnProblems)[number]

/** Fields of the fragment with which a sign-on comes back to the sign-in screen. */
export const SIGN_ON_CODE = 'sign_on'
export const SIGN_ON_PROBLEM = 'sign_on_problem'

const SignOnState = z.object({ enabled: z.boolean(), required: z.boolean() }).meta({ id: 'SignOnState' })

const open = { upstream: 'keys', access: 'none', counted: false, described: false } as const

/** Single sign-on with OpenID Connect (D15.5). Without a provider all but the first are 404. */
export const signOnRoutes = {
  describeSignOn: {
    ...open,
    method: 'GET',
    path: '/auth/oidc',
    summary: 'Tell whether single sign-on is set up, and whether it is the only way in',
    success: { status: 200, schema: dataOf(SignOnState) },
    errors: ['validation_error'],
  },
  startSignOn: {
    ...open,
    method: 'GET',
    path: '/auth/oidc/start',
    summary: 'Go to the sign-on provider',
    success: { status: 302 },
    errors: ['not_found', 'rate_limited', 'service_unavailable'],
  },
  finishSignOn: {
    ...open,
    method: 'GET',
    path: '/auth/oidc/callback',
    summary: 'Come back from the sign-on provider',
    description:
      'Leads to the sign-in screen, with a code for `openSignOnSession` or a problem in the fragment. Works once, for ten ' +
      'minutes, and only in the browser that started. Somebody who may not come in gets 403, and a browser goes on from there.',
    query: z.strictObject({
      state: textParameter(255, 'What the sign-on started with.').optional(),
      code: textParameter(4096, "The provider's code.").optional(),
      iss: textParameter(2048, 'The provider (RFC 9207).').optional(),
      error: textParameter(255, 'Why the provider refused.').optional(),
    }),
    success: { status: 302 },
    errors: ['validation_error', 'forbidden', 'not_found'],
  },
  openSignOnSession: {
    ...open,
    method: 'POST',
    path: '/auth/oidc/session',
    summary: 'Open a session with the code of a sign-on',
    description: 'The code works once, for 60 seconds.',
    body: z.strictObject({ code: text(1, 255) }),
    success: { status: 200, schema: dataOf(Session) },
    errors: ['validation_error', 'bad_request', 'unauthorized', 'forbidden', 'not_found', 'rate_limited'],
  },
} as const satisfies Record<string, Route>

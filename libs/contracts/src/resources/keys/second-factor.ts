import { z } from 'zod'
import { dataOf } from '../../rules/query.ts'
import type { Route } from '../../route.ts'
import { ExistingPassword, OneTimeCode } from './tokens.ts'

/** Only this reply has the secret. `uri` is for a QR code. */
const TotpSecret = z.object({ secret: z.string(), uri: z.string() }).meta({
  id: 'TotpSecret',
  example: {
    secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    uri: 'otpauth://totp/Whereabouts:ada%40example.com?issuer=Whereabouts&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
  },
})

/** Only this reply has the codes. */
const RecoveryCodes = z
  .object({ recovery_codes: z.array(z.string()) })
  .meta({ id: 'RecoveryCodes', example: { recovery_codes: ['ABCD-EFGH-IJKL-MN23'] } })

const ownCodes = {
  upstream: 'keys',
  counted: false,
  described: false,
  access: 'session',
  role: 'viewer',
} as const

/** People switch on and off that their sign-in needs a one-time code (ADR 127). */
export const secondFactorRoutes = {
  createTotp: {
    ...ownCodes,
    method: 'POST',
    path: '/users/me/totp',
    summary: 'Create a secret for one-time codes of the user',
    description:
      'Codes are on when the secret is confirmed, within ten minutes. Replaces a secret that was not.',
    success: { status: 201, schema: dataOf(TotpSecret) },
    errors: ['conflict'],
  },
  confirmTotp: {
    ...ownCodes,
    method: 'POST',
    path: '/users/me/totp/confirm',
    summary: 'Switch one-time codes on with a first code',
    description:
      'Returns ten recovery codes, which are shown only once. Each works once in place of a one-time code.',
    body: z.strictObject({ code: OneTimeCode }),
    success: { status: 200, schema: dataOf(RecoveryCodes) },
    errors: ['validation_error', 'bad_request', 'not_found', 'conflict'],
  },
  deleteTotp: {
    ...ownCodes,
    method: 'DELETE',
    path: '/users/me/totp',
    summary: 'Switch one-time codes off',
    description: 'Needs the password, and a one-time code or a recovery code.',
    body: z.strictObject({ password: ExistingPassword, code: OneTimeCode }),
    success: { status: 204 },
    errors: ['validation_error', 'bad_request', 'not_found', 'rate_limited'],
  },
} as const satisfies Record<string, Route>

import {
  brokerEnv,
  commonEnv,
  databaseEnv,
  loadEnv,
  principalEnv,
} from '@whereabouts/service-kit/service/env'
import { z } from 'zod'

export const Config = z.object({
  ...commonEnv,
  ...databaseEnv,
  ...brokerEnv,
  ...principalEnv,
  SIGNING_KEY_SECRET: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/, 'must be 32 bytes in base64url')
    .describe(
      'Encrypts the token-signing keys and the secrets of one-time codes at rest, 32 bytes in base64url.',
    ),
  SIGNING_KEY_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(3_650)
    .default(30)
    .describe('Age at which a token-signing key is replaced by the next one.'),
  ADDRESS_ATTEMPTS: z.coerce
    .number()
    .int()
    .min(1)
    .default(20)
    .describe(
      'Attempts to sign in, sign up or join that one client address (IPv6: /64) has at hand; failures at the token endpoint count too.',
    ),
  ADDRESS_ATTEMPT_SECONDS: z.coerce
    .number()
    .positive()
    .default(3)
    .describe('Seconds until an address gets one more attempt.'),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe(
      'Mail server, as `smtps://user:password@host:465` or `smtp://host:587`. Without it no mail is sent.',
    ),
  MAIL_FROM: z
    .string()
    .min(3)
    .default('Whereabouts <no-reply@localhost>')
    .describe('Sender of mails, an address or `Name <address>`.'),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .default('http://127.0.0.1:8080')
    .describe('Public address of the console, for the links in mails.'),
  INTERNAL_WITHOUT_CREDENTIAL: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .describe(
      'During an upgrade from a release without it only: gateways may ask below /internal without a credential.',
    ),
  CALLOUT_PASSWORD: z
    .string()
    .min(1)
    .describe(
      'Password of the broker user `callout`, which answers reader logins. Two, separated by a comma, while it is changed.',
    ),
  CALLOUT_ISSUER_SEED: z
    .string()
    .regex(/^SA[A-Z2-7]{56}$/, 'must be an account seed (SA…)')
    .describe('Account seed that signs responses to reader logins.'),
  CALLOUT_XKEY_SEED: z
    .string()
    .regex(/^SX[A-Z2-7]{56}$/, 'must be a curve seed (SX…)')
    .describe('Curve seed that encrypts requests and responses of reader logins.'),
  NATS_SYSTEM_PASSWORD: z
    .string()
    .min(1)
    .describe(
      'Password of the broker user `system`, which disconnects readers. Two, separated by a comma, while it is changed.',
    ),
})
export type Config = Readonly<z.output<typeof Config>>

/** Throws one error that names every bad variable and no value. */
export const loadConfig = (env: NodeJS.ProcessEnv): Config => loadEnv(Config, env)

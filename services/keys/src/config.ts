import {
  brokerEnv,
  ConfigError,
  commonEnv,
  databaseEnv,
  loadEnv,
  principalEnv,
} from '@whereabouts/service-kit/service/env'
import { z } from 'zod'
import { groupRoles } from './people/single-sign-on/roles.rules.ts'

const isLoopback = ({ hostname }: URL) => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)

const signOnEnv = {
  OIDC_ISSUER: z
    .url({ protocol: /^https?$/ })
    .refine((url) => new URL(url).protocol === 'https:' || isLoopback(new URL(url)), 'must be https')
    .optional()
    .describe(
      'Issuer address of the OpenID Connect provider for single sign-on, https. Without it there is none.',
    ),
  OIDC_CLIENT_ID: z.string().min(1).optional().describe('Id of Whereabouts at that provider.'),
  OIDC_CLIENT_SECRET: z.string().min(1).optional().describe('Secret of Whereabouts at that provider.'),
  OIDC_GROUPS_CLAIM: z
    .string()
    .min(1)
    .default('groups')
    .describe('Claim with the groups of a person, or a path to it such as `realm_access.roles`.'),
  OIDC_ROLES: z
    .string()
    .transform((text, ctx) => {
      const read = groupRoles(text)
      if (!read) ctx.addIssue('must be group=org_id:role, separated by commas')
      return read ?? z.NEVER
    })
    .optional()
    .describe(
      'Roles that groups give at each sign-on, as `group=org_id:role,…` with a role of `admin`, `member` or `viewer`.',
    ),
  OIDC_REQUIRED: z
    .enum(['true', 'false'])
    .default('false')
    .transform((value) => value === 'true')
    .describe('Whether single sign-on is the only way in: passwords are refused.'),
}

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
    .describe('Public address of the console, for the links in mails and the way back from single sign-on.'),
  ...signOnEnv,
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
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const config = loadEnv(Config, env)
  if (config.OIDC_ISSUER === undefined && config.OIDC_REQUIRED)
    throw new ConfigError('OIDC_REQUIRED needs OIDC_ISSUER')
  if (config.OIDC_ISSUER !== undefined && !(config.OIDC_CLIENT_ID && config.OIDC_CLIENT_SECRET))
    throw new ConfigError('OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET')
  return config
}

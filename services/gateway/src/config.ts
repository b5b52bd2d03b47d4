import { parseInstant } from '@whereabouts/contracts/rules/instant'
import { brokerEnv, commonEnv, databaseEnv, loadEnv, publicEnv } from '@whereabouts/service-kit/service/env'
import { isIP } from 'node:net'
import { z } from 'zod'
import { DEFAULT_REFUSED_AGENTS } from './pipeline/web-filter.ts'

const upstream = (name: string) =>
  z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .refine((url) => new URL(url).pathname === '/', 'must not have a path')
    .describe(`Address of ${name}.`)

/** RFC 3339; a date alone begins at midnight UTC. */
function instant(text: string, ctx: z.RefinementCtx): Date {
  const parsed = parseInstant(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text)
  if (parsed !== undefined) return new Date(parsed)
  ctx.addIssue({ code: 'custom', message: 'must be an RFC 3339 date, with or without a time' })
  return z.NEVER
}

const list = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

/** There is no proxy. An own word, because an empty variable may be a forgotten one. */
const NO_PROXIES = 'none'

function proxies(text: string, ctx: z.RefinementCtx): string[] {
  if (text.trim() === NO_PROXIES) return []
  const parts = list(text)
  if (parts.length > 0 && parts.every(isAddressOrRange)) return parts
  ctx.addIssue({ code: 'custom', message: 'must be addresses or CIDR ranges separated by commas, or `none`' })
  return z.NEVER
}

function isAddressOrRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const version = isIP(address)
  if (version === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

export const Config = z.object({
  ...commonEnv,
  ...databaseEnv,
  ...brokerEnv,
  ...publicEnv,
  CATALOG_URL: upstream('catalog'),
  TRACKING_URL: upstream('tracking'),
  KEYS_URL: upstream('keys'),
  WEBHOOK_DISPATCHER_URL: upstream('webhook-dispatcher'),
  CONSOLE_URL: upstream('console'),
  PRINCIPAL_PRIVATE_KEY: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/, 'must be 32 bytes in base64url')
    .describe('Ed25519 seed that signs callers for the services, 32 bytes in base64url.'),
  WEB_FILTER_PREFIXES: z
    .string()
    .default(DEFAULT_REFUSED_AGENTS.join(','))
    .transform(list)
    .describe('Prefixes of User-Agent values to refuse, separated by commas.'),
  TRUSTED_PROXIES: z
    .string()
    .transform(proxies)
    .describe(
      'Addresses or CIDR ranges of trusted proxies, whose X-Forwarded-For counts, separated by commas; `none` if clients connect directly.',
    ),
  READ_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(1)
    .default(10_000)
    .describe('Time in which a service must begin its response to a GET.'),
  WRITE_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(1)
    .default(30_000)
    .describe('Time in which a service must begin its response to a write.'),
  UPSTREAM_KEEP_ALIVE_MS: z.coerce
    .number()
    .int()
    .min(1)
    .default(4_000)
    .describe('How long an idle connection to a service stays open. Must be less than its DRAIN_MS.'),
  MAX_BODY_BYTES_IN_FLIGHT: z.coerce
    .number()
    .int()
    .min(2 * 2 ** 20) // three quarters, for requests with a credential, must hold the largest body
    .default(64 * 2 ** 20)
    .describe(
      'Bytes of request bodies that are held at a time, files apart. Requests without a credential have a quarter of it. Beyond it: 503.',
    ),
  MAX_CONNECTIONS_PER_ADDRESS: z.coerce
    .number()
    .int()
    .min(1)
    .default(1_000)
    .describe('Open connections of one address (IPv4, IPv6 /64). Proxies of TRUSTED_PROXIES have no limit.'),
  SECURITY_CONTACT: z
    .url({ protocol: /^(?:mailto|https|tel)$/ })
    .optional()
    .describe(
      'Where to report vulnerabilities, as `mailto:`, `https:` or `tel:` URI. /.well-known/security.txt names it, and is 404 without.',
    ),
  LEGACY_SUNSET: z
    .string()
    .transform(instant)
    .optional()
    .describe('RFC 3339 date from which all paths below /legacy/api/v1 return 410; announced as `Sunset`.'),
})

export type Config = Readonly<z.output<typeof Config>>

/** Throws one `ConfigError` naming every bad variable. */
export const loadConfig = (env: NodeJS.ProcessEnv): Config => loadEnv(Config, env)

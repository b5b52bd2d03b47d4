import { z } from 'zod'

/** The environment is not usable. The message names every bad variable and no value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Settings of every service. */
export const commonEnv = {
  ENVIRONMENT: z
    .enum(['production', 'preview', 'local'])
    .describe('Name of the environment. Tokens of one environment are refused in another.'),
  HOST: z.string().min(1).default('0.0.0.0').describe('Address to listen on.'),
  PORT: z.coerce.number().int().min(0).max(65_535).describe('Port of the API.'),
  OPS_PORT: z.coerce.number().int().min(0).max(65_535).describe('Port of /healthz, /readyz and /metrics.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Lowest level of log lines that are written.'),
  SHUTDOWN_GRACE_MS: z.coerce
    .number()
    .int()
    .min(0)
    .default(10_000)
    .describe('Time that each shutdown phase may take after SIGTERM.'),
  DRAIN_MS: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .describe(
      'How long to keep serving after SIGTERM, so that load balancers stop sending requests before the port closes.',
    ),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'OTLP/HTTP collector for traces, without `/v1/traces`. Without a collector no traces are recorded.',
    ),
  TRACE_SAMPLE_RATIO: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe('Share of the traces starting here that is recorded. For other traces the sender decides.'),
}

/** Settings of services that browsers reach. */
export const publicEnv = {
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .describe('Public address of this service. With https, browsers are told to use only https.'),
}

/** Whether browsers reach us, or the proxy in front of us, over https. */
export const isSecure = ({ PUBLIC_URL }: { PUBLIC_URL: string }): boolean =>
  new URL(PUBLIC_URL).protocol === 'https:'

export const databaseEnv = {
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/ })
    .describe(
      'PostgreSQL, as the owner of the schema of this service. Requests and loops log in with its password as `<owner>_tenant` and `<owner>_worker`. While the password is changed, the parameter `previous_password` has the one before; while the database moves, `next_host` has the new server.',
    ),
  DATABASE_POOL_SIZE: z.coerce
    .number()
    .int()
    .min(1)
    .max(200)
    .default(10)
    .describe('Largest number of connections to PostgreSQL for requests. Loops open a few more.'),
}

export const brokerEnv = {
  NATS_URL: z.string().min(1).describe('nats-server addresses, separated by commas.'),
  NATS_USER: z.string().min(1).default('services').describe('User of nats-server for services.'),
  NATS_PASSWORD: z
    .string()
    .min(1)
    .describe('Password of that user. Two, separated by a comma, while it is changed.'),
  NATS_CA_FILE: z
    .string()
    .min(1)
    .optional()
    .describe('PEM file of the CA of the brokers. If it is set, connections must be encrypted.'),
}

export const principalEnv = {
  PRINCIPAL_PUBLIC_KEY: z
    .string()
    .regex(
      /^[A-Za-z0-9_-]{43}(,[A-Za-z0-9_-]{43})?$/,
      'must be 32 bytes in base64url, or two such separated by a comma',
    )
    .describe(
      "The gateway's Ed25519 public key, 32 bytes in base64url. Two, separated by a comma, while it is changed.",
    ),
}

/**
 * Reads the environment with a zod object whose keys are variable names. Throws one `ConfigError` that names every
 * bad variable. Values are left out, because they may be secrets.
 */
export function loadEnv<S extends z.ZodObject>(schema: S, env: NodeJS.ProcessEnv): Readonly<z.output<S>> {
  // Templates leave variables empty that are not set.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = schema.safeParse(given)
  if (parsed.success) return Object.freeze(parsed.data)
  const lines = parsed.error.issues.map((issue) => {
    const name = issue.path.map(String).join('.')
    const described = schema.shape[name] as z.ZodType | undefined
    const problem = given[name] === undefined ? 'is not set' : `is not usable: ${problemWithoutValue(issue)}`
    return `  ${name} ${problem}${described?.description ? ` (${described.description})` : ''}`
  })
  throw new ConfigError(`${lines.length} configuration variable(s) to fix:\n${lines.join('\n')}`)
}

function problemWithoutValue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`
  if (issue.code === 'too_small') return `must be at least ${String(issue.minimum)}`
  if (issue.code === 'too_big') return `must be at most ${String(issue.maximum)}`
  if (issue.code === 'invalid_type') return `must be a ${issue.expected}`
  if (issue.code === 'invalid_format' && issue.format === 'url') return 'must be a URL of the right kind'
  return issue.message
}

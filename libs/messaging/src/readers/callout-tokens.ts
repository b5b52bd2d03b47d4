import { randomUUID, sign, type KeyObject } from 'node:crypto'
import { z } from 'zod'

/** What the broker asks: which client wants to connect to which server. */
export const AuthRequest = z.object({
  user_nkey: z.string().min(1),
  server_id: z.object({ id: z.string().min(1) }),
  connect_opts: z.object({ user: z.string().default(''), pass: z.string().default('') }),
  client_info: z.object({
    type: z.string().default(''),
    host: z.string().default(''),
    name: z.string().default(''),
    mqtt_id: z.string().optional(),
  }),
})
export type AuthRequest = z.output<typeof AuthRequest>

/** Permissions of a client until `expiresAt`. Then the broker disconnects it, and it logs in again. */
export type Grant = {
  /** Shown in the broker's monitoring. Must equal `user` of the login for `disconnectUser` to find it. */
  name: string
  account: string
  /** Subject patterns. An empty list denies everything. */
  publish: readonly string[]
  subscribe: readonly string[]
  /** Seconds since 1970. */
  expiresAt: number
  /** The protocols it may speak. */
  connectionTypes: readonly ('STANDARD' | 'MQTT')[]
}

export type Signer = { key: KeyObject; issuer: string }

/**
 * The token that the broker enforces on the connection. Limits of size, subscriptions and connections are set on the
 * account, in nats.conf: the broker ignores them in the token of a callout. Exported for tests.
 */
export function userToken(signer: Signer, userNkey: string, grant: Grant): string {
  return signed(signer, {
    sub: userNkey,
    aud: grant.account,
    name: grant.name,
    exp: grant.expiresAt,
    nats: {
      type: 'user',
      version: 2,
      pub: permission(grant.publish),
      sub: permission(grant.subscribe),
      allowed_connection_types: grant.connectionTypes,
      subs: -1,
      data: -1,
      payload: -1,
    },
  })
}

/** The broker reads an empty list of allowed subjects as all subjects. */
const permission = (allow: readonly string[]) => (allow.length > 0 ? { allow } : { deny: ['>'] })

export type Verdict = { jwt: string } | { error: string }

/** The answer to a request, with the token of the user or a refusal. */
export function responseToken(signer: Signer, request: AuthRequest, verdict: Verdict): Uint8Array {
  const nats = { type: 'authorization_response', version: 2, ...verdict }
  return Buffer.from(signed(signer, { sub: request.user_nkey, aud: request.server_id.id, nats }))
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const HEADER = encode({ typ: 'JWT', alg: 'ed25519-nkey' })

function signed({ key, issuer }: Signer, claims: object): string {
  const standard = { jti: randomUUID(), iat: Math.floor(Date.now() / 1000), iss: issuer }
  const body = `${HEADER}.${encode({ ...standard, ...claims })}`
  return `${body}.${sign(null, Buffer.from(body), key).toString('base64url')}`
}

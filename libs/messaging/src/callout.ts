import { randomUUID, sign, type KeyObject } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Msg } from 'nats'
import { z } from 'zod'
import { addressBlock } from '@whereabouts/service-kit/address-block'
import { countedLog } from '@whereabouts/service-kit/counted-log'
import { natsOf, type Broker } from './connection.ts'
import { describeError, type Logger } from './logger.ts'
import { issuerOf, signingKey } from './nkeys.ts'
import { sealedBox } from './sealed-box.ts'

/** A client that wants to connect to the broker. Each value is its own claim. */
export type Login = {
  user: string
  password: string
  /** `nats`, `mqtt` or `websocket`. */
  clientType: string
  /** The MQTT client id, or the connection's name; empty if the client sent none. */
  clientId: string
  /** The address it connects from. */
  host: string
}

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

export type CalloutSeeds = {
  /** SA…, whose public key is `issuer` in nats.conf. */
  issuerSeed: string
  /** SX…, whose public key is `xkey` in nats.conf. */
  xkeySeed: string
}

export type LoginResponder = { stop(): Promise<void> }

/** Why a login is refused, for the log. The client does not learn the reason. */
export type Refusal = { refused: string }

/** `undecided`: refused because no decision was made, or not in time. */
export type LoginOutcome = 'granted' | 'refused' | 'undecided'
/** Must be cheap and must not throw. */
export type OnLogin = (clientType: string, outcome: LoginOutcome, seconds: number) => void

/** The broker waits 2 s for an answer. An earlier refusal saves the client that wait. */
const DECISION_MS = 1_500
/** Logins decided at the same time. Further ones wait, for example after a restart of the broker. */
const MAX_ACTIVE = 32
const MAX_WAITING = 4_096

const AuthRequest = z.object({
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
type AuthRequest = z.output<typeof AuthRequest>

/**
 * Answers the broker's authorization callout; any number of replicas share the work. `decide` resolves to a grant, to a
 * refusal, or to undefined if the credentials are wrong. If it rejects or takes too long, the login is refused at once,
 * because without an answer the client would wait two seconds. No secret is logged.
 */
export function serveLogins(
  broker: Broker,
  seeds: CalloutSeeds,
  decide: (login: Login) => Promise<Grant | Refusal | undefined>,
  logger: Logger,
  onLogin: OnLogin = () => undefined,
): LoginResponder {
  const signer: Signer = { key: signingKey(seeds.issuerSeed), issuer: issuerOf(seeds.issuerSeed) }
  const xkey = sealedBox(seeds.xkeySeed)
  // Anybody can cause refusals.
  const refusals = countedLog((fields) => logger.info(fields, 'login refused'))
  const undecided = countedLog((fields) =>
    logger.error(fields, 'login refused because it could not be decided'),
  )
  const active = new Set<Promise<void>>()
  const waiting: { msg: Msg; deadline: number }[] = []
  const subscription = natsOf(broker).subscribe('$SYS.REQ.USER.AUTH', {
    queue: 'auth-callout',
    callback: (error, msg) => {
      if (error) logger.error({ reason: describeError(error) }, 'logins cannot be received')
      else receive(msg)
    },
  })

  function receive(msg: Msg): void {
    if (waiting.length >= MAX_WAITING) return drop(msg, 'too many logins at once')
    waiting.push({ msg, deadline: performance.now() + DECISION_MS })
    startNext()
  }

  function startNext(): void {
    while (active.size < MAX_ACTIVE) {
      const next = waiting.shift()
      if (!next) return
      if (next.deadline <= performance.now()) drop(next.msg, 'waited too long')
      else start(next.msg, next.deadline)
    }
  }

  function start(msg: Msg, deadline: number): void {
    const peer = msg.headers?.get('Nats-Server-Xkey') ?? ''
    const request = openRequest(msg, peer)
    if (!request) {
      logger.error({ encrypted: peer !== '' }, 'malformed authorization request')
      return refuseUnread(msg)
    }
    const answered = answer(msg, request, peer, deadline).finally(() => {
      active.delete(answered)
      startNext()
    })
    active.add(answered)
  }

  /** Refuses without decrypting: under overload no time is spent on answers that nobody waits for. */
  function drop(msg: Msg, reason: string): void {
    onLogin('unknown', 'undecided', DECISION_MS / 1_000)
    undecided.count(reason, { reason })
    refuseUnread(msg)
  }

  /** Sends an empty answer. A valid one needs the decrypted request, but an invalid one also ends the login at once. */
  function refuseUnread(msg: Msg): void {
    msg.respond()
  }

  function openRequest(msg: Msg, peer: string): AuthRequest | undefined {
    try {
      // The broker encrypts requests for us, so a request that opens can only come from the broker.
      const token = Buffer.from(xkey.open(msg.data, peer) ?? []).toString()
      return AuthRequest.parse(
        JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).nats,
      )
    } catch {
      return undefined // the caller logs it without the cause, which may quote the token
    }
  }

  async function answer(msg: Msg, request: AuthRequest, peer: string, deadline: number): Promise<void> {
    const login = loginOf(request)
    const grant = await decision(login, deadline)
    const verdict = grant ? { jwt: userToken(signer, request.user_nkey, grant) } : { error: 'login refused' }
    try {
      msg.respond(xkey.seal(responseToken(signer, request, verdict), peer))
    } catch (error) {
      logger.error(
        { user: loggable(login.user), reason: describeError(error) },
        'login could not be answered',
      )
    }
  }

  /** A known key has its own line, wrong credentials one per address. */
  function logRefusal(fields: LoginFields, grant: Refusal | undefined): void {
    const key = grant ? fields.user : addressBlock(fields.host)
    refusals.count(key, { ...fields, reason: grant?.refused ?? 'wrong credentials' })
  }

  async function decision(login: Login, deadline: number): Promise<Grant | undefined> {
    const fields = { user: loggable(login.user), client_type: login.clientType, host: login.host }
    const ended = (outcome: LoginOutcome) =>
      onLogin(login.clientType, outcome, (DECISION_MS - (deadline - performance.now())) / 1_000)
    try {
      const late = delay(deadline - performance.now(), 'late' as const, { ref: false })
      const grant = await Promise.race([decide(login), late])
      if (grant === 'late') throw new Error('decision took too long')
      if (grant && !('refused' in grant)) {
        ended('granted')
        return grant
      }
      logRefusal(fields, grant)
      ended('refused')
      return undefined
    } catch (error) {
      ended('undecided')
      const reason = describeError(error)
      undecided.count(`${addressBlock(fields.host)} ${reason}`, { ...fields, reason })
      return undefined
    }
  }

  return {
    async stop() {
      if (!natsOf(broker).isClosed()) await subscription.drain()
      while (active.size > 0) await Promise.all(active) // a login that ends may start one that waits
      refusals.close()
      undecided.close()
    },
  }
}

type LoginFields = { user: string; client_type: string; host: string }

const loginOf = ({ connect_opts: { user, pass }, client_info: client }: AuthRequest): Login => ({
  user,
  password: pass,
  clientType: client.type,
  clientId: client.mqtt_id ?? client.name,
  host: client.host,
})

/** The client chooses the user name. It may be long, or a secret typed into the wrong field. */
const loggable = (user: string) => (/^[\w-]{1,64}$/.test(user) ? user : `(${user.length} characters)`)

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

type Verdict = { jwt: string } | { error: string }

function responseToken(signer: Signer, request: AuthRequest, verdict: Verdict): Uint8Array {
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

import { randomUUID, sign, type KeyObject } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Msg } from 'nats'
import { z } from 'zod'
import { natsOf, type Broker } from './connection.ts'
import { describeError, type Logger } from './logger.ts'
import { issuerOf, signingKey } from './nkeys.ts'
import { sealedBox } from './sealed-box.ts'

/** Someone who wants to connect to the broker. Everything in it is the client's own claim. */
export type Login = {
  user: string
  password: string
  /** `nats`, `mqtt` or `websocket`. */
  clientType: string
  /** The MQTT client id, or the connection's name; empty when it gave none. */
  clientId: string
  /** The address it connects from. */
  host: string
}

/** What a client may do, until `expiresAt`: then the broker disconnects it, and it logs in again. */
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

/** Why a login is refused, for the log: the client is told nothing. */
export type Refusal = { refused: string }

/** `undecided`: refused because it could not be decided in time, or at all. Must be cheap and must not throw. */
export type LoginOutcome = 'granted' | 'refused' | 'undecided'
export type OnLogin = (clientType: string, outcome: LoginOutcome, seconds: number) => void

/** The broker waits 2 s for an answer; a refusal that comes earlier saves the client the wait. */
const DECISION_MS = 1_500
/** Logins being decided at once; those beyond wait for their turn, as after a restart of the broker. */
const MAX_ACTIVE = 32
const MAX_WAITING = 4_096

const Ask = z.object({
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
type Ask = z.output<typeof Ask>

/**
 * Answers the broker's authorization callout; any number of replicas share the work. `decide` resolves to a refusal, or to
 * undefined where the credentials are wrong. When it rejects, or the answer would come too late, the login is refused too, at once:
 * silence would cost the client two seconds. Nothing secret is logged.
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
    const ask = openAsk(msg, peer)
    if (!ask) {
      logger.error({ encrypted: peer !== '' }, 'malformed authorization request')
      return refuseUnread(msg)
    }
    const answered = answer(msg, ask, peer, deadline).finally(() => {
      active.delete(answered)
      startNext()
    })
    active.add(answered)
  }

  /** Not even opened: whoever is overloaded must not spend time on answers that nobody waits for. */
  function drop(msg: Msg, reason: string): void {
    onLogin('unknown', 'undecided', DECISION_MS / 1_000)
    logger.error({ reason }, 'login refused because it could not be decided')
    refuseUnread(msg)
  }

  /** No valid answer can be made, but an invalid one ends the login at once. */
  function refuseUnread(msg: Msg): void {
    msg.respond()
  }

  function openAsk(msg: Msg, peer: string): Ask | undefined {
    try {
      // Only what the broker encrypted for us is answered: nobody else can have asked.
      const token = Buffer.from(xkey.open(msg.data, peer) ?? []).toString()
      return Ask.parse(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).nats)
    } catch {
      return undefined // the caller logs it, without the cause: it may quote the token
    }
  }

  async function answer(msg: Msg, ask: Ask, peer: string, deadline: number): Promise<void> {
    const login = loginOf(ask)
    const grant = await decision(login, deadline)
    const verdict = grant ? { jwt: userToken(signer, ask.user_nkey, grant) } : { error: 'login refused' }
    try {
      msg.respond(xkey.seal(responseToken(signer, ask, verdict), peer))
    } catch (error) {
      logger.error(
        { user: loggable(login.user), reason: describeError(error) },
        'login could not be answered',
      )
    }
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
      logger.info({ ...fields, reason: grant?.refused ?? 'wrong credentials' }, 'login refused')
      ended('refused')
      return undefined
    } catch (error) {
      ended('undecided')
      logger.error(
        { ...fields, reason: describeError(error) },
        'login refused because it could not be decided',
      )
      return undefined
    }
  }

  return {
    async stop() {
      if (!natsOf(broker).isClosed()) await subscription.drain()
      while (active.size > 0) await Promise.all(active) // each may be followed by one that waits
    },
  }
}

const loginOf = ({ connect_opts: { user, pass }, client_info: client }: Ask): Login => ({
  user,
  password: pass,
  clientType: client.type,
  clientId: client.mqtt_id ?? client.name,
  host: client.host,
})

/** A user name is the client's to choose: it may be long, or a secret typed into the wrong field. */
const loggable = (user: string) => (/^[\w-]{1,64}$/.test(user) ? user : `(${user.length} characters)`)

export type Signer = { key: KeyObject; issuer: string }

/**
 * What the broker enforces on the connection. Limits of size, subscriptions and connections are those of the account, in
 * nats.conf: the broker ignores what the token of a callout says of them. Exported for tests.
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

/** To the broker an empty list of allowed subjects means all of them. */
const permission = (allow: readonly string[]) => (allow.length > 0 ? { allow } : { deny: ['>'] })

function responseToken(signer: Signer, ask: Ask, verdict: { jwt: string } | { error: string }): Uint8Array {
  const nats = { type: 'authorization_response', version: 2, ...verdict }
  return Buffer.from(signed(signer, { sub: ask.user_nkey, aud: ask.server_id.id, nats }))
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const HEADER = encode({ typ: 'JWT', alg: 'ed25519-nkey' })

function signed({ key, issuer }: Signer, claims: object): string {
  const standard = { jti: randomUUID(), iat: Math.floor(Date.now() / 1000), iss: issuer }
  const body = `${HEADER}.${encode({ ...standard, ...claims })}`
  return `${body}.${sign(null, Buffer.from(body), key).toString('base64url')}`
}

import { setTimeout as delay } from 'node:timers/promises'
import type { Msg } from 'nats'
import { addressBlock } from '@whereabouts/service-kit/limits/address-block'
import { countedLog } from '@whereabouts/service-kit/observe/counted-log'
import { AuthRequest, responseToken, userToken, type Grant, type Signer } from './callout-tokens.ts'
import { natsOf, type Broker } from '../connect/connection.ts'
import { describeError, type Logger } from '../connect/logger.ts'
import { issuerOf, signingKey } from './nkeys.ts'
import { sealedBox } from './sealed-box.ts'

export type { Grant }

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

export type CalloutSeeds = {
  /** SA…, whose public key is `issuer` in nats.conf. */
  issuerSeed: string
  /** SX…, whose public key is `xkey` in nats.conf. */
  xkeySeed: string
}

export type LoginResponder = {
  /** Whether every login that has reached this replica is decided or about to be. */
  isKeepingUp(): boolean
  stop(): Promise<void>
}

/**
 * Why a login is refused, for the log: the client does not learn the reason. Without one, the credentials are wrong.
 * `afterMs`: how long the refusal waits, so that a client that fails again and again is slow.
 */
export type Refusal = { refused: string | undefined; afterMs?: number }

/** `undecided`: no decision was made, or not in time. The client waits for the next attempt, or for its own time-out. */
export type LoginOutcome = 'granted' | 'refused' | 'undecided'
/** Must be cheap and must not throw. */
export type OnLogin = (clientType: string, outcome: LoginOutcome, seconds: number) => void

/**
 * Time for one attempt to decide. A later grant is dropped: the key may have been revoked meanwhile, and the second
 * round of disconnects comes five seconds after a revocation.
 */
export const DECISION_MS = 1_500
const RETRY_MS = 500
/** How long the broker waits for an answer: `authorization.timeout` of nats.conf, less the time of one attempt. */
export const LOGIN_MS = 33_500
/** Logins decided at the same time. Further ones wait, for example after a restart of the broker. */
const MAX_ACTIVE = 32
const MAX_WAITING = 4_096

type Waiting = { msg: Msg; since: number }

/**
 * Answers the broker's authorization callout; any number of replicas share the work. `decide` resolves to a grant, to a
 * refusal, or to undefined if the credentials are wrong. If it rejects or takes too long, it is asked again while the
 * client waits. A login that is never decided gets no answer: many client libraries end for ever after two refusals,
 * but retry after a time-out (ADR 83). No secret is logged.
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
  const undecided = countedLog((fields) => logger.error(fields, 'login could not be decided'))
  const active = new Set<Promise<void>>()
  const waiting: Waiting[] = []
  const retries = new Set<NodeJS.Timeout>()
  let isStopping = false
  const subscription = natsOf(broker).subscribe('$SYS.REQ.USER.AUTH', {
    queue: 'auth-callout',
    callback: (error, msg) => {
      if (error) logger.error({ reason: describeError(error) }, 'logins cannot be received')
      else receive(msg)
    },
  })

  /** Of too many, the oldest waits most likely for a client that has left. */
  function receive(msg: Msg): void {
    const oldest = waiting.length + retries.size >= MAX_WAITING ? waiting.shift() : undefined
    if (oldest) leave(oldest, 'too many logins at once')
    waiting.push({ msg, since: performance.now() })
    startNext()
  }

  function startNext(): void {
    while (active.size < MAX_ACTIVE) {
      const next = waiting.shift()
      if (!next) return
      if (performance.now() - next.since > LOGIN_MS) leave(next, 'waited too long')
      else start(next)
    }
  }

  function start(next: Waiting): void {
    const peer = next.msg.headers?.get('Nats-Server-Xkey') ?? ''
    const request = openRequest(next.msg, peer)
    if (!request) {
      logger.error({ encrypted: peer !== '' }, 'malformed authorization request')
      return onLogin('unknown', 'undecided', 0)
    }
    const answered = answer(next, request, peer).finally(() => {
      active.delete(answered)
      startNext()
    })
    active.add(answered)
  }

  /** Without decrypting: under overload no time is spent on logins that nobody waits for. */
  function leave({ since }: Waiting, reason: string): void {
    onLogin('unknown', 'undecided', secondsSince(since))
    undecided.count(reason, { reason })
  }

  /** At the end of the queue, so that logins that cannot be decided do not hold up others. */
  function retry(login: Waiting): void {
    if (isStopping || waiting.length + retries.size >= MAX_WAITING) return
    const timer = setTimeout(() => {
      retries.delete(timer)
      waiting.push(login)
      startNext()
    }, RETRY_MS)
    retries.add(timer)
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

  async function answer(waiter: Waiting, request: AuthRequest, peer: string): Promise<void> {
    const login = loginOf(request)
    const grant = await decision(login, waiter.since)
    if (grant === 'undecided') return retry(waiter)
    const verdict =
      'refused' in grant ? { error: 'login refused' } : { jwt: userToken(signer, request.user_nkey, grant) }
    const respond = () => {
      try {
        waiter.msg.respond(xkey.seal(responseToken(signer, request, verdict), peer))
      } catch (error) {
        logger.error(
          { user: loggable(login.user), reason: describeError(error) },
          'login could not be answered',
        )
      }
    }
    if (!('refused' in grant) || grant.afterMs === undefined) return respond()
    setTimeout(() => isStopping || respond(), grant.afterMs).unref() // holds no place meanwhile
  }

  /** A known key has its own line, wrong credentials one per address. */
  function logRefusal(fields: LoginFields, { refused }: Refusal): void {
    const key = refused === undefined ? addressBlock(fields.host) : fields.user
    refusals.count(key, { ...fields, reason: refused ?? 'wrong credentials' })
  }

  async function decision(login: Login, since: number): Promise<Grant | Refusal | 'undecided'> {
    const fields = { user: loggable(login.user), client_type: login.clientType, host: login.host }
    const ended = (outcome: LoginOutcome) => onLogin(login.clientType, outcome, secondsSince(since))
    const begun = performance.now()
    try {
      const late = delay(DECISION_MS, 'late' as const, { ref: false })
      const grant = (await Promise.race([decide(login), late])) ?? { refused: undefined }
      // A process that was stopped meanwhile may see the decision before the timer.
      if (grant === 'late' || performance.now() - begun > DECISION_MS)
        throw new Error('decision took too long')
      if (!('refused' in grant)) {
        ended('granted')
        return grant
      }
      logRefusal(fields, grant)
      ended('refused')
      return grant
    } catch (error) {
      ended('undecided')
      const reason = describeError(error)
      undecided.count(`${addressBlock(fields.host)} ${reason}`, { ...fields, reason })
      return 'undecided'
    }
  }

  return {
    isKeepingUp: () => waiting.length + retries.size === 0,
    async stop() {
      isStopping = true
      for (const timer of retries) clearTimeout(timer)
      retries.clear()
      if (!natsOf(broker).isClosed()) await subscription.drain()
      while (active.size > 0) await Promise.all(active) // a login that ends may start one that waits
      refusals.close()
      undecided.close()
    },
  }
}

const secondsSince = (ms: number) => (performance.now() - ms) / 1_000

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

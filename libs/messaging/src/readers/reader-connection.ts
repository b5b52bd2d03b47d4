import { connect as dial, ErrorCode, Events, NatsError, type NatsConnection } from 'nats'
import { describeError } from '../connect/logger.ts'

export type ReaderConnectionOptions = {
  url: string
  /** The client id of an API key with `scans:write`; a reader may publish below `scans.<org>.` and nothing else. */
  clientId: string
  clientSecret: string
  /** Shown in the broker's monitoring. */
  name?: string
  /** Called when the broker refuses a subject. The message is lost. */
  onRefused?: (reason: string) => void
}

/** One login of a reader. It does not reconnect: wait for `closed`, then log in again. */
export type ReaderConnection = {
  /** Sends without waiting for an answer, as readers do. False if the connection is closed and nothing was sent. */
  publish(subject: string, bytes: Uint8Array): boolean
  /**
   * Resolves with the place in the stream once the broker has stored the message. Throws if that takes longer than 5
   * s.
   */
  store(subject: string, bytes: Uint8Array): Promise<{ stream: string; seq: number }>
  /** Sends what is queued, then closes. */
  close(): Promise<void>
  /** Resolves when the connection has ended: with undefined after `close()`, else with the reason. */
  readonly closed: Promise<Error | undefined>
}

/** The broker answered and refused the login: a wrong secret, a revoked key, or one without `scans:write`. */
export class LoginRefusedError extends Error {
  override readonly name = 'LoginRefusedError'
}

const TIMEOUT_MS = 5_000

/**
 * Logs in as a reader over NATS. Throws `LoginRefusedError`, or an error with the reason why the broker was not
 * reached.
 */
export async function connectReader(options: ReaderConnectionOptions): Promise<ReaderConnection> {
  const nc = await logIn(options)
  void reportRefusals(nc, options.onRefused ?? (() => {}))
  return {
    publish(subject, bytes) {
      if (nc.isClosed() || nc.isDraining()) return false
      nc.publish(subject, bytes)
      return true
    },
    async store(subject, bytes) {
      const answer = await nc.request(subject, bytes, { timeout: TIMEOUT_MS }).catch((cause: unknown) => {
        throw new Error(`not stored: ${subject}: ${explain(cause)}`, { cause })
      })
      const { stream, seq } = answer.json<{ stream: string; seq: number }>()
      return { stream, seq }
    },
    async close() {
      if (!nc.isClosed()) await nc.drain()
    },
    closed: nc.closed().then((reason) => reason ?? undefined),
  }
}

async function logIn({
  url,
  clientId,
  clientSecret,
  name,
}: ReaderConnectionOptions): Promise<NatsConnection> {
  try {
    return await dial({
      servers: url,
      user: clientId,
      pass: clientSecret,
      name: name ?? 'reader',
      // The only subjects a reader may subscribe to; answers to `store` arrive there.
      inboxPrefix: `_INBOX.${clientId}`,
      timeout: TIMEOUT_MS,
      reconnect: false,
      pingInterval: 10_000,
      maxPingOut: 2,
    })
  } catch (cause) {
    if (cause instanceof NatsError && cause.isAuthError())
      throw new LoginRefusedError(`the broker refused the login of ${clientId}`, { cause })
    throw new Error(`cannot connect to the broker at ${url}: ${describeError(cause)}`, { cause })
  }
}

const REASONS = new Map<string, string>([
  [ErrorCode.NoResponders, 'no stream takes this subject'],
  [ErrorCode.Timeout, 'no answer in time'],
  [ErrorCode.PermissionsViolation, 'this key may not publish there'],
])

const explain = (error: unknown): string =>
  (error instanceof NatsError && REASONS.get(error.code)) || describeError(error)

async function reportRefusals(nc: NatsConnection, onRefused: (reason: string) => void): Promise<void> {
  for await (const { type, data } of nc.status()) {
    if (type === Events.Error) onRefused(typeof data === 'string' ? data : JSON.stringify(data))
  }
}

import { KeyAccess, MemberRevision } from '@whereabouts/contracts/messages/keys-state'
import { PRINCIPAL_HEADER } from '@whereabouts/contracts/principal'
import { serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Counter } from '@whereabouts/service-kit/observe/metrics'
import { LRUCache } from 'lru-cache'
import { Agent, request } from 'undici'
import { z } from 'zod'
import type { KeyView } from './key-view.ts'

export type KeyDirectory = {
  /** The status of a key; undefined if there is no such key. Throws 503 if the status is not available. */
  find(jti: string): Promise<KeyAccess | undefined>
  /**
   * Whether a session of this revision of a membership is still valid: the membership has not changed since. Throws 503
   * if the status is not available.
   */
  isSessionValid(orgId: number, userId: string, revision: number): Promise<boolean>
  /** Whether the session or token chain of an access token has ended. Throws 503 if that is not available. */
  isChainEnded(orgId: number, chainId: string): Promise<boolean>
  /** Closes the connections to keys. */
  close(): Promise<void>
}

type Options = {
  view: KeyView
  /** Whether the view is as new as the stream: connected and caught up. */
  isCurrent: () => boolean
  keysUrl: string
  /** The credential of the gateway, cached while it is valid. */
  credential: () => Promise<string>
  log: Logger
  lookups: Counter<'source'>
  now?: () => number
}

/** How long a response is used. A revocation must bind within a second (D9.3). */
const BELIEVED_MS = 500
/** For the first attempt, and for the second. */
const ASK_TIMEOUT_MS = 1_000
/**
 * The other end of a connection may be gone without a word: a machine was lost, or a firewall dropped it. A service offers
 * to keep a connection for more than a minute, and lookups are rare, so most would be made on such a connection.
 */
const KEEP_ALIVE_MS = 1_000
const MAX_REMEMBERED = 10_000

/**
 * Answers from the view while it is current. Asks `keys` about everything that is not in it, and about everything while
 * the broker is unreachable. A revocation or the end of a session in the view is final, however old the view is.
 */
export function keyDirectory(options: Options): KeyDirectory {
  const { view, isCurrent, lookups } = options
  const connections = {
    kept: new Agent({ keepAliveTimeout: KEEP_ALIVE_MS, keepAliveMaxTimeout: KEEP_ALIVE_MS }),
    /** Each request has a new connection. */
    single: new Agent({ pipelining: 0 }),
  }
  const asked = { ...options, connections }
  const askKey = lookup(asked, KeyAccess)
  const askMember = lookup(asked, MemberRevision)
  const askChain = lookup(asked, ChainState)

  function fromView<T>(known: T): T {
    lookups.inc({ source: 'view' })
    return known
  }

  return {
    async find(jti) {
      const known = view.states.get('key', jti)
      return known && (known.revoked_at !== null || isCurrent())
        ? fromView(known)
        : askKey(`keys/${encodeURIComponent(jti)}`)
    },

    async isSessionValid(orgId, userId, revision) {
      const known = view.states.get('member', `${orgId}.${userId}`)
      const status =
        known && (known.revision > revision || isCurrent())
          ? fromView(known)
          : await askMember(`members/${orgId}/${userId}`)
      // A token of a higher revision than the known one is newer than the status.
      return status !== undefined && status.revision <= revision
    },

    async isChainEnded(orgId, chainId) {
      if (view.isChainEnded(chainId)) return fromView(true)
      if (isCurrent()) return fromView(false)
      // Undefined: this replica of keys is from a release without this route.
      return (await askChain(`chains/${orgId}/${encodeURIComponent(chainId)}`))?.ended ?? false
    },

    async close() {
      await Promise.all(Object.values(connections).map((agent) => agent.close()))
    },
  }
}

const ChainState = z.object({ ended: z.boolean() })

type Asked = Options & { connections: Record<'kept' | 'single', Agent> }
type Lookup<S> = { status: Promise<S | undefined>; until: number }

/** Sends one request for many callers. Undefined: not found. */
function lookup<S>(options: Asked, schema: z.ZodType<S>) {
  const { lookups, now = Date.now } = options
  const recent = new LRUCache<string, Lookup<S>>({ max: MAX_REMEMBERED })

  return (path: string): Promise<S | undefined> => {
    const known = recent.get(path)
    if (known && known.until > now()) return known.status
    const status = ask(path, schema, options)
    recent.set(path, { status, until: now() + BELIEVED_MS })
    status.catch(() => recent.delete(path)) // the next request retries
    lookups.inc({ source: 'service' })
    return status
  }
}

/** A second attempt has a new connection, which may also reach another replica: the first one may hang. */
async function ask<S>(
  path: string,
  schema: z.ZodType<S>,
  { keysUrl, credential, log, connections }: Asked,
): Promise<S | undefined> {
  const once = async (dispatcher: Agent) => {
    const headers = { [PRINCIPAL_HEADER]: await credential() }
    const signal = AbortSignal.timeout(ASK_TIMEOUT_MS)
    const { statusCode, body } = await request(`${keysUrl}/internal/${path}`, { dispatcher, signal, headers })
    if (statusCode === 200) return schema.parse(await body.json())
    await body.dump()
    if (statusCode === 404) return undefined
    throw new Error(`keys answered ${statusCode}`)
  }
  try {
    return await once(connections.kept).catch(() => once(connections.single))
  } catch (error) {
    log.warn({ err: error }, 'credential lookup at keys failed')
    throw serviceUnavailable(error)
  }
}

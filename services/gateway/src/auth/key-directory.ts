import { PRINCIPAL_HEADER } from '@whereabouts/contracts/principal'
import { serviceUnavailable } from '@whereabouts/service-kit/errors'
import type { Logger } from '@whereabouts/service-kit/logging'
import type { Counter } from '@whereabouts/service-kit/metrics'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { keyStatusOf, memberStatusOf } from './key-view.ts'
import type { KeyStatus, KeyView, MemberStatus } from './key-view.ts'

export type KeyDirectory = {
  /** The status of a key; undefined if there is no such key. Throws 503 if the status is not available. */
  find(jti: string): Promise<KeyStatus | undefined>
  /**
   * Whether a session of this revision of a membership is still valid: the membership has not changed since. Throws 503
   * if the status is not available.
   */
  isSessionValid(orgId: number, userId: string, revision: number): Promise<boolean>
  /** Whether the session or token chain of an access token has ended. Throws 503 if that is not available. */
  isChainEnded(orgId: number, chainId: string): Promise<boolean>
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
const ASK_TIMEOUT_MS = 2_000
const MAX_REMEMBERED = 10_000

/**
 * Answers from the view while it is current. Asks `keys` about everything that is not in it, and about everything while
 * the broker is unreachable. A revocation or the end of a session in the view is final, however old the view is.
 */
export function keyDirectory(options: Options): KeyDirectory {
  const { view, isCurrent, lookups } = options
  const askKey = lookup<KeyStatus>(options, keyStatusOf)
  const askMember = lookup<MemberStatus>(options, memberStatusOf)
  const askChain = lookup<{ ended: boolean }>(options, (payload) => ChainState.parse(payload))

  function fromView<T>(known: T): T {
    lookups.inc({ source: 'view' })
    return known
  }

  return {
    async find(jti) {
      const known = view.get(jti)
      return known && (known.revoked || isCurrent())
        ? fromView(known)
        : askKey(`keys/${encodeURIComponent(jti)}`)
    },

    async isSessionValid(orgId, userId, revision) {
      const known = view.getMember(orgId, userId)
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
  }
}

const ChainState = z.object({ ended: z.boolean() })

type Lookup<S> = { status: Promise<S | undefined>; until: number }

/** Sends one request for many callers. Undefined: not found. */
function lookup<S>(options: Options, read: (payload: unknown) => S) {
  const { lookups, now = Date.now } = options
  const recent = new LRUCache<string, Lookup<S>>({ max: MAX_REMEMBERED })

  return (path: string): Promise<S | undefined> => {
    const known = recent.get(path)
    if (known && known.until > now()) return known.status
    const status = ask(path, read, options)
    recent.set(path, { status, until: now() + BELIEVED_MS })
    status.catch(() => recent.delete(path)) // the next request tries again
    lookups.inc({ source: 'service' })
    return status
  }
}

async function ask<S>(
  path: string,
  read: (payload: unknown) => S,
  { keysUrl, credential, log }: Options,
): Promise<S | undefined> {
  const signal = AbortSignal.timeout(ASK_TIMEOUT_MS)
  try {
    const headers = { [PRINCIPAL_HEADER]: await credential() }
    const once = () => fetch(`${keysUrl}/internal/${path}`, { signal, redirect: 'error', headers })
    // Retries a connection failure, because `keys` may just have closed the connection to be replaced.
    const response = await once().catch(once)
    if (response.status === 404) {
      await response.body?.cancel()
      return undefined
    }
    if (!response.ok) throw new Error(`keys answered ${response.status}`)
    return read(await response.json())
  } catch (error) {
    log.warn({ err: error }, 'credential lookup at keys failed')
    throw serviceUnavailable(error)
  }
}

import { PRINCIPAL_HEADER } from '@whereabouts/contracts/principal'
import { serviceUnavailable } from '@whereabouts/service-kit/errors'
import type { Logger } from '@whereabouts/service-kit/logging'
import type { Counter } from '@whereabouts/service-kit/metrics'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { keyStandingOf, memberStandingOf } from './key-view.ts'
import type { KeyStanding, KeyView, MemberStanding } from './key-view.ts'

export type KeyDirectory = {
  /** How a key stands now; undefined when there is no such key. Throws 503 when nobody can tell. */
  find(jti: string): Promise<KeyStanding | undefined>
  /**
   * Whether a session that was made from this revision of a membership still holds: nothing has happened to the
   * membership since. Throws 503 when nobody can tell.
   */
  isSessionValid(orgId: number, userId: string, revision: number): Promise<boolean>
  /** Whether the session or token chain of an access token has ended. Throws 503 when nobody can tell. */
  isChainEnded(orgId: number, chainId: string): Promise<boolean>
}

type Options = {
  view: KeyView
  /** Whether the view holds everything the stream does: connected and caught up. */
  isCurrent: () => boolean
  keysUrl: string
  /** Says that a gateway asks; kept for as long as it is good. */
  credential: () => Promise<string>
  log: Logger
  lookups: Counter<'source'>
  now?: () => number
}

/** A revocation binds within a second (D9.3), so an answer is believed for half of one. */
const BELIEVED_MS = 500
const ASK_TIMEOUT_MS = 2_000
const MAX_REMEMBERED = 10_000

/**
 * Answers from the view while it is current. What is not in it yet, or anything while the broker is away, is asked of
 * `keys` itself. A revocation or the end of a session that was seen once is final, however old the view has grown.
 */
export function keyDirectory(options: Options): KeyDirectory {
  const { view, isCurrent, lookups } = options
  const askKey = asker<KeyStanding>(options, keyStandingOf)
  const askMember = asker<MemberStanding>(options, memberStandingOf)
  const askChain = asker<{ ended: boolean }>(options, (payload) => ChainAnswer.parse(payload))

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
      const standing =
        known && (known.revision > revision || isCurrent())
          ? fromView(known)
          : await askMember(`members/${orgId}/${userId}`)
      // A higher revision than the one heard of is a membership that changed a moment ago: the token is its latest word.
      return standing !== undefined && standing.revision <= revision
    },

    async isChainEnded(orgId, chainId) {
      if (view.isChainEnded(chainId)) return fromView(true)
      if (isCurrent()) return fromView(false)
      // Undefined: this replica of keys is of a release that knows no such question.
      return (await askChain(`chains/${orgId}/${encodeURIComponent(chainId)}`))?.ended ?? false
    },
  }
}

const ChainAnswer = z.object({ ended: z.boolean() })

type Asked<S> = { answer: Promise<S | undefined>; until: number }

/** Asks once for many requests. Undefined: there is no such thing. */
function asker<S>(options: Options, read: (payload: unknown) => S) {
  const { lookups, now = Date.now } = options
  const asked = new LRUCache<string, Asked<S>>({ max: MAX_REMEMBERED })

  return (path: string): Promise<S | undefined> => {
    const earlier = asked.get(path)
    if (earlier && earlier.until > now()) return earlier.answer
    const answer = ask(path, read, options)
    asked.set(path, { answer, until: now() + BELIEVED_MS })
    answer.catch(() => asked.delete(path)) // the next request tries again
    lookups.inc({ source: 'service' })
    return answer
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
    // Again when it failed on its way: `keys` may just have closed the connection, to be replaced by another replica.
    const response = await once().catch(once)
    if (response.status === 404) {
      await response.body?.cancel()
      return undefined
    }
    if (!response.ok) throw new Error(`keys answered ${response.status}`)
    return read(await response.json())
  } catch (error) {
    log.warn({ err: error }, 'keys could not be asked about a credential')
    throw serviceUnavailable(error)
  }
}

import { KeyState } from '@whereabouts/contracts/messages/keys-state'
import { serviceUnavailable } from '@whereabouts/service-kit/errors'
import type { Logger } from '@whereabouts/service-kit/logging'
import type { Counter } from '@whereabouts/service-kit/metrics'
import { standingOf, type KeyStanding, type KeyView } from './key-view.ts'

export type KeyDirectory = {
  /** How a key stands now; undefined when there is no such key. Throws 503 when nobody can tell. */
  find(jti: string): Promise<KeyStanding | undefined>
}

type Options = {
  view: KeyView
  /** Whether the view holds everything the stream does: connected and caught up. */
  isCurrent: () => boolean
  keysUrl: string
  log: Logger
  lookups: Counter<'source'>
  now?: () => number
}

type Asked = { answer: Promise<KeyStanding | undefined>; until: number }

/** A revocation binds within a second (D9.3), so an answer is believed for half of one. */
const BELIEVED_MS = 500
const ASK_TIMEOUT_MS = 2_000
const MAX_REMEMBERED = 10_000

/**
 * Answers from the view while it is current. A key that is not in it yet, or any key while the broker is away, is
 * asked of `keys` itself. A revocation that was seen once is final, however old the view has grown.
 */
export function keyDirectory(options: Options): KeyDirectory {
  const { view, isCurrent, lookups, now = Date.now } = options
  const asked = new Map<string, Asked>()

  function askOnce(jti: string): Promise<KeyStanding | undefined> {
    const earlier = asked.get(jti)
    if (earlier && earlier.until > now()) return earlier.answer
    if (asked.size >= MAX_REMEMBERED) asked.clear()
    const answer = ask(jti, options)
    asked.set(jti, { answer, until: now() + BELIEVED_MS })
    answer.catch(() => asked.delete(jti)) // the next request tries again
    lookups.inc({ source: 'service' })
    return answer
  }

  return {
    async find(jti) {
      const known = view.get(jti)
      if (known && (known.revoked || isCurrent())) {
        lookups.inc({ source: 'view' })
        return known
      }
      return askOnce(jti)
    },
  }
}

async function ask(jti: string, { keysUrl, log }: Options): Promise<KeyStanding | undefined> {
  try {
    const response = await fetch(`${keysUrl}/internal/keys/${encodeURIComponent(jti)}`, {
      signal: AbortSignal.timeout(ASK_TIMEOUT_MS),
      redirect: 'error',
    })
    if (response.status === 404) {
      await response.body?.cancel()
      return undefined
    }
    if (!response.ok) throw new Error(`keys answered ${response.status}`)
    return standingOf(KeyState.parse(await response.json()))
  } catch (error) {
    log.warn({ err: error }, 'keys could not be asked about an API key')
    throw serviceUnavailable(error)
  }
}

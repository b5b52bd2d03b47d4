import { republishKeysState } from '@whereabouts/contracts/messages/republish-state'
import type { Broker } from '@whereabouts/messaging/connection'
import { followStream, type Follower } from '@whereabouts/messaging/follow'
import type { StateMetrics } from '@whereabouts/messaging/unreadable-states'
import type { Logger } from '@whereabouts/service-kit/logging'
import { setTimeout as delay } from 'node:timers/promises'
import { KEY_SUBJECTS, type KeyView } from './key-view.ts'
import { newlyRevokedAt } from './revocation-delay.ts'

export type KeyFollower = {
  /**
   * Whether the view holds all that the stream holds. False while the broker is unreachable, because a revocation may
   * be missing.
   */
  isCurrent(): boolean
  stop(): Promise<void>
}

const RETRY_MS = 5_000

/** Keeps `view` up to date with the KEYS stream. Returns at once and retries for ever. */
export function startKeyFollower(options: {
  connect: () => Promise<Broker>
  view: KeyView
  log: Logger
  /** Called with the seconds from the revocation of a key until it was refused here. */
  onRevocation?: (seconds: number) => void
  stateMetrics?: StateMetrics
}): KeyFollower {
  const { view, log, onRevocation = () => undefined, stateMetrics } = options
  const stopping = new AbortController()
  let connected: { broker: Broker; follower: Follower } | undefined

  async function run(): Promise<void> {
    const broker = await connectPatiently(options, stopping.signal)
    if (!broker) return
    const follower = followStream(broker, {
      stream: 'KEYS',
      filter: KEY_SUBJECTS,
      immediate: true, // a revocation binds within a second (D9.3), an election may take ten
      onState: (subject, payload) => {
        // Not for states read at the start or after a break, because their revocations are older.
        const revokedAtMs = follower.isCaughtUp() ? newlyRevokedAt(view, subject, payload) : undefined
        view.apply(subject, payload)
        if (revokedAtMs !== undefined) onRevocation(Math.max(0, Date.now() - revokedAtMs) / 1_000)
      },
      onReset: () => view.clear(),
      onUnreadable: (subject) => view.forget(subject),
      owner: republishKeysState.subject,
      ...(stateMetrics && { stateMetrics }),
      logger: log,
    })
    connected = { broker, follower }
  }
  void run()

  return {
    isCurrent: () =>
      connected !== undefined && connected.broker.isConnected() && connected.follower.isCaughtUp(),
    async stop() {
      stopping.abort()
      await connected?.follower.stop()
      await connected?.broker.close()
    },
  }
}

/** Undefined if stopped before. */
async function connectPatiently(
  { connect, log }: { connect: () => Promise<Broker>; log: Logger },
  signal: AbortSignal,
): Promise<Broker | undefined> {
  while (!signal.aborted) {
    try {
      const broker = await connect()
      if (!signal.aborted) return broker
      await broker.close()
    } catch (error) {
      log.error({ err: error }, 'broker connection failed; keys and members are looked up over HTTP')
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined) // aborted: the loop ends
    }
  }
  return undefined
}

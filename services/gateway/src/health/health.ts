import { READINESS_PATH } from '@whereabouts/service-kit/service/readiness'
import { Agent, request } from 'undici'
import { z } from 'zod'

/** Whether each part works, by name. The names are public (D12.15). */
export type Health = Readonly<Record<string, boolean>>

type Options = {
  /** Origins of the services without which the API does not work, by name. */
  services: Readonly<Record<string, string>>
  /** Whether the gateway itself can check tokens. */
  hasSigningKeys: () => boolean
  now?: () => number
}

/** Anybody may ask, so the services are asked this often at most, however many ask. */
const KEPT_MS = 1_000
/** A service checks its database for up to a second. */
const PATIENCE_MS = 2_000

/** A service of the release before has no such path. It answers 404, so it runs. */
const Readiness = z.object({ ready: z.boolean().optional() })

/** Asks the services whether they are ready. All requests of a second share one answer. */
export function healthOf({ services, hasSigningKeys, now = () => performance.now() }: Options) {
  const agent = new Agent({ connect: { timeout: PATIENCE_MS }, connections: 1 })
  let kept: { health: Promise<Health>; until: number } | undefined

  async function isReady(origin: string): Promise<boolean> {
    try {
      const signal = AbortSignal.timeout(PATIENCE_MS)
      const { statusCode, body } = await request(`${origin}${READINESS_PATH}`, { dispatcher: agent, signal })
      const answer = Readiness.safeParse(await body.json())
      return statusCode < 500 && answer.success && answer.data.ready !== false
    } catch {
      return false // unreachable, too slow, or not one of ours
    }
  }

  async function ask(): Promise<Health> {
    const asked = Object.entries(services).map(
      async ([name, origin]) => [name, await isReady(origin)] as const,
    )
    return { gateway: hasSigningKeys(), ...Object.fromEntries(await Promise.all(asked)) }
  }

  return {
    now(): Promise<Health> {
      if (!kept || kept.until <= now()) {
        const health = ask()
        kept = { health, until: Number.POSITIVE_INFINITY } // until the services have answered
        void health.then(() => (kept = { health, until: now() + KEPT_MS }))
      }
      return kept.health
    },
    close: () => agent.close(),
  }
}

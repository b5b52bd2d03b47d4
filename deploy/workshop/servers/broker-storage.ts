import { readdirSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

const TIMEOUT_MS = 5_000
/** Larger than any message. */
const LARGEST_MESSAGE = 1024 * 1024

/** Less than this is a full disk: a broker that starts there stores nothing either. */
export const FULL_BELOW_BYTES = 16 * 1024 * 1024

/** What the broker may still use of the disk of `folder`. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/**
 * Why a broker stores nothing, in its own words; undefined if it stores, or if it has ended or still reads its streams.
 * After a failed write, nats-server refuses every message of that stream until it is restarted, and only its full
 * `/healthz` says so. A broker that was started on a full disk does not say it: it may use less than it already holds.
 */
export async function storageProblem(monitorUrl: string): Promise<string | undefined> {
  try {
    if (!(await ask(`${monitorUrl}/healthz?js-server-only=true`)).ok) return undefined // it starts
    const health = await ask(`${monitorUrl}/healthz`)
    const { error } = (await health.json()) as { error?: string }
    if (!health.ok) return error ?? `its health check answers ${health.status}`
    const { storage, config } = (await (await ask(`${monitorUrl}/jsz`)).json()) as {
      storage: number
      config: { max_storage: number }
    }
    const isUsedUp = config.max_storage >= 0 && storage + LARGEST_MESSAGE > config.max_storage
    return isUsedUp ? `it holds ${storage} bytes and may use ${config.max_storage}` : undefined
  } catch (error) {
    const isSilent = error instanceof Error && error.name === 'TimeoutError'
    return isSilent ? `its health check does not answer within ${TIMEOUT_MS / 1_000} s` : undefined
  }
}

const ask = (url: string) => fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })

/**
 * The limit for all streams of a broker with this store: what its streams may grow to, and three quarters of the room beyond.
 * nats-server counts bytes before compression, so what its files hold says too little: a broker that was limited to that would
 * refuse everything after a restart. Its own default leaves out even that.
 */
export function storeLimit(dataDir: string, store: string): number {
  const { held, reserved } = streamsIn(join(dataDir, store))
  const beyond = Math.max(0, held + freeBytes(dataDir) - reserved)
  return reserved + Math.floor(beyond * 0.75)
}

/** `held` is bytes of files; `reserved` counts a stream with a limit by that, and others, which are not compressed, by their files. */
function streamsIn(folder: string): { held: number; reserved: number } {
  const held = bytesIn(folder)
  const reserved = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\/streams\/[^/]+\/meta\.inf$/.test(name))
    .reduce((sum, name) => {
      const [, limit] = /"max_bytes":(\d+),/.exec(readFileSync(join(folder, name), 'utf8')) ?? []
      return sum + (limit === undefined ? bytesIn(dirname(join(folder, name))) : Number(limit))
    }, 0)
  return { held, reserved }
}

function bytesIn(folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}

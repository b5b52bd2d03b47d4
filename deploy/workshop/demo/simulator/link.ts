/** An accepted login over either transport. */
export type Connection = {
  publish(subject: string, bytes: Uint8Array): boolean
  close(): Promise<void>
  /** Resolves when the connection ends, with the error unless `close` ended it. */
  readonly closed: Promise<Error | undefined>
}

export type LinkOptions = {
  /** Logs in once; throws when that fails. */
  connect: () => Promise<Connection>
  /** Called for every failed login, but not for a lost connection: the next login shows whether it matters. */
  onDown: (error: Error) => void
  onUp: () => void
  /** The first wait; it doubles with every failure up to `maxWaitMs`. */
  minWaitMs?: number
  maxWaitMs?: number
}

/** A connection that ends sooner counts as a failed login: the next one waits longer. */
const STABLE_MS = 5_000

/** A connection that reconnects when it is lost, with growing delays while that fails. */
export type Link = {
  /** False without a connection; the message is then lost, as with a reader without a buffer. */
  publish(subject: string, bytes: Uint8Array): boolean
  readonly isUp: boolean
  /** Resolves when the first login succeeded or failed. */
  readonly tried: Promise<void>
  stop(): Promise<void>
}

export function createLink({
  connect,
  onDown,
  onUp,
  minWaitMs = 500,
  maxWaitMs = 15_000,
}: LinkOptions): Link {
  let current: Connection | undefined
  let timer: NodeJS.Timeout | undefined
  let failures = 0
  let stopped = false
  const tried = Promise.withResolvers<void>()

  const retry = () => {
    if (stopped) return
    const waitMs = Math.min(maxWaitMs, minWaitMs * 2 ** failures) * (0.8 + Math.random() * 0.4)
    failures += 1
    timer = setTimeout(() => {
      running = attempt()
    }, waitMs)
  }
  const untilLost = async (connection: Connection) => {
    const upAt = Date.now()
    await connection.closed
    current = undefined
    if (Date.now() - upAt > STABLE_MS) failures = 0
    retry()
  }
  const up = async (connection: Connection) => {
    if (stopped) return connection.close()
    current = connection
    onUp()
    void untilLost(connection)
  }
  const attempt = async () => {
    try {
      await up(await connect())
    } catch (error) {
      if (!stopped) onDown(error instanceof Error ? error : new Error(String(error)))
      retry()
    } finally {
      tried.resolve()
    }
  }
  let running = attempt()

  return {
    publish: (subject, bytes) => current?.publish(subject, bytes) ?? false,
    get isUp() {
      return current !== undefined
    },
    tried: tried.promise,
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
      await current?.close()
    },
  }
}

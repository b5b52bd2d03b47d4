import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import pg from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'

/** The parameter of an address with the password that the role had before. */
const PREVIOUS = 'previous_password'
/** The parameter of an address with the server, as `host:port`, to which the database moves (ADR 121). */
const NEXT = 'next_host'
const TRIAL_MS = 2_000
/** While a database moves, neither server takes anybody for a moment. */
const MOVING_MS = 4_500
const RETRY_MS = 100

/** How to log in. `Client` is there while that may change: it finds out what the server takes. */
export type Login = pg.ClientConfig & { Client?: typeof pg.Client }

type Attempt = { host: string; port: number; password: string }

/**
 * How connections log in. While a password is changed, `url` also has the previous one, and while the database moves, the next server.
 * Then each new connection is preceded by one that finds out which of them is right.
 */
export function loginOf(url: string, log?: Logger): Login {
  const parsed = new URL(url)
  const previous = parsed.searchParams.get(PREVIOUS)
  const next = parsed.searchParams.get(NEXT)
  parsed.searchParams.delete(PREVIOUS)
  parsed.searchParams.delete(NEXT)
  if (!previous && !next) return { connectionString: parsed.href } // none, or a template without a value
  const { password, host, port, ...address } = parseIntoClientConfig(parsed.href)
  const servers = [{ host: host ?? 'localhost', port: port ?? 5432 }]
  if (next) servers.push(serverOf(next))
  const passwords = [String(password), ...(previous ? [previous] : [])]
  const attempts = servers.flatMap((server) => passwords.map((each) => attempt(server, each)))
  return {
    ...address,
    Client: clientThatTries(attempts, { address, log, waitMs: next ? MOVING_MS : 0 }),
  }
}

const attempt = ({ host, port }: Omit<Attempt, 'password'>, password: string): Attempt => ({
  host,
  port,
  password,
})

function serverOf(next: string): { host: string; port: number } {
  const { hostname, port } = new URL(`postgres://${next}`)
  return { host: hostname, port: Number(port || 5432) }
}

type Tries = { address: pg.ClientConfig; log: Logger | undefined; waitMs: number }

/** A client that logs in with the first of the attempts that works. The next connection begins with that one. */
function clientThatTries(attempts: Attempt[], { address, log, waitMs }: Tries): typeof pg.Client {
  async function find(isOver: () => boolean): Promise<Attempt | undefined> {
    const until = Date.now() + waitMs
    for (;;) {
      for (const each of attempts) if (await isTaken({ ...address, ...each })) return prefer(each)
      if (isOver() || Date.now() + RETRY_MS > until) return attempts[0] // it fails, with the reason
      await delay(RETRY_MS)
    }
  }
  function prefer(taken: Attempt): Attempt {
    if (taken === attempts[0]) return taken
    const { host, port } = taken
    log?.warn(
      { role: address.user, host, port },
      'the database refused a login: the other password or server took it',
    )
    attempts.sort((a, b) => Number(b === taken) - Number(a === taken))
    return taken
  }
  return class extends pg.Client {
    override connect(): Promise<pg.Client>
    override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void
    override connect(callback?: (error: never, client: pg.Client) => void): Promise<pg.Client> | void {
      const connected = this.#find().then(() => super.connect())
      if (!callback) return connected
      void answer(connected, this, callback)
    }

    async #find(): Promise<void> {
      // A pool that has waited for long enough destroys the stream.
      const { stream } = this.connection
      Object.assign(this, await find(() => stream.destroyed))
      if (stream.destroyed) throw new Error('timeout exceeded when trying to connect')
    }
  }
}

/** Calls back as `connect` of a client does, once the connection is there or has failed. */
async function answer(
  connected: Promise<pg.Client>,
  client: pg.Client,
  callback: (error: never, client: pg.Client) => void,
): Promise<void> {
  const error: unknown = await connected.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  callback(error as never, client)
}

async function isTaken(config: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client({ connectionTimeoutMillis: TRIAL_MS, ...config })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

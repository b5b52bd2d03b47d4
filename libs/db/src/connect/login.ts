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
const WRONG_PASSWORD = '28P01'
const TOO_MANY = '53300'

/** How to log in. `Client` is there while that may change: it finds out what the server takes. */
export type Login = pg.ClientConfig & { Client?: typeof pg.Client }

type Server = { host: string; port: number }

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
  return { ...address, Client: clientThatTries({ servers, passwords }, address, log) }
}

function first<T>([value]: readonly T[]): T {
  if (value === undefined) throw new Error('nothing to log in with')
  return value
}

function serverOf(next: string): Server {
  const { hostname, port } = new URL(`postgres://${next}`)
  return { host: hostname, port: Number(port || 5432) }
}

type Choice = { servers: Server[]; passwords: string[] }

/**
 * A client that logs in with the password that the server takes, at the first server that is not closed. Only a server that says so is
 * left: the next one may be empty before the move begins. The next connection begins with what worked.
 */
function clientThatTries(
  { servers, passwords }: Choice,
  address: pg.ClientConfig,
  log: Logger | undefined,
): typeof pg.Client {
  let search: Promise<Server & { password: string }> | undefined
  /** One search for all connections that wait: a hundred would keep the servers busy with refusing. */
  const find = () =>
    (search ??= searchOnce().finally(() => {
      search = undefined
    }))
  async function searchOnce() {
    const until = Date.now() + MOVING_MS
    for (;;) {
      const open = await firstOpen()
      if (open || servers.length === 1 || Date.now() + RETRY_MS > until)
        return { ...(open ?? first(servers)), password: first(passwords) }
      await delay(RETRY_MS)
    }
  }
  async function firstOpen(): Promise<Server | undefined> {
    for (const server of servers) {
      if ((await tryPasswords(server)) === 'closed') continue
      if (server !== servers[0]) {
        log?.warn({ role: address.user, ...server }, 'the database has moved: connecting to the next server')
        servers.sort((a, b) => Number(b === server) - Number(a === server))
      }
      return server // if it is not there, the connection fails, with the reason
    }
    return undefined
  }
  async function tryPasswords(server: Server): Promise<Answer> {
    for (const password of passwords) {
      const said = await login({ ...address, ...server, password })
      if (said === 'wrong password') continue
      if (password !== passwords[0]) {
        log?.warn({ role: address.user }, 'the database refused a password: trying the other one')
        passwords.sort((a, b) => Number(b === password) - Number(a === password))
      }
      return said
    }
    return 'wrong password'
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
      Object.assign(this, await find())
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

type Answer = 'taken' | 'wrong password' | 'closed' | 'failed'

async function login(config: pg.ClientConfig): Promise<Answer> {
  const client = new pg.Client({ connectionTimeoutMillis: TRIAL_MS, ...config })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return 'taken'
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) return 'failed'
    if (error.code === WRONG_PASSWORD) return 'wrong password'
    // The limit of the role, not of all connections: a server whose database has moved has the limit 0.
    return error.code === TOO_MANY && error.routine === 'InitializeSessionUserId' ? 'closed' : 'failed'
  } finally {
    await client.end().catch(() => undefined)
  }
}

import type { Logger } from '@whereabouts/service-kit/logging'
import pg from 'pg'
import { callbackify } from 'node:util'

/** The parameter of an address with the password that the role had before. */
const PREVIOUS = 'previous_password'
const WRONG_PASSWORD = '28P01'

/**
 * The addresses that one login may use. While a password is changed there are two: one with the new password, and one
 * with that of the parameter `previous_password`.
 */
export type Login = {
  /** The address whose password the server took last, at first that of the new password. */
  address(): string
  /** After a refusal of `address`: later connections use the other one, if there is one. */
  refused(address: string): void
  readonly hasPrevious: boolean
}

export function loginOf(url: string, log?: Logger): Login {
  const addresses = addressesOf(url)
  const role = new URL(url).username
  let current = 0
  const address = () => addresses[current] ?? url
  return {
    address,
    hasPrevious: addresses.length > 1,
    refused(tried) {
      if (addresses.length === 1 || tried !== address()) return // another connection has noticed it before
      current = 1 - current
      const next = current === 0 ? 'new' : 'previous'
      log?.warn({ role }, `the database refused a password: trying the ${next} one`)
    },
  }
}

function addressesOf(url: string): string[] {
  const parsed = new URL(url)
  const previous = parsed.searchParams.get(PREVIOUS)
  if (previous === null) return [url]
  parsed.searchParams.delete(PREVIOUS)
  const address = parsed.href
  if (previous === '') return [address] // a template without a value
  parsed.password = encodeURIComponent(previous)
  return [address, parsed.href]
}

export const isWrongPassword = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === WRONG_PASSWORD

/** A pool of one login. Without a previous password it is a plain pool. */
export function openPool(
  url: string,
  config: pg.PoolConfig & { options: string },
  log: Logger | undefined,
): pg.Pool {
  const login = loginOf(url, log)
  return login.hasPrevious
    ? new TwoPasswordPool({ ...config, Client: clientOf(login) })
    : new pg.Pool({ ...config, connectionString: login.address() })
}

type Connected = (error: Error | undefined, client?: pg.PoolClient, release?: () => void) => void

/** Connects once more if the server refused the password: by then the other one is tried. */
class TwoPasswordPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>
  override connect(callback: Connected): void
  override connect(callback?: Connected): Promise<pg.PoolClient> | void {
    const connected = super.connect().catch((error: unknown) => {
      if (!isWrongPassword(error)) throw error
      return super.connect()
    })
    if (!callback) return connected
    callbackify(() => connected)((error, client) =>
      callback(error ?? undefined, client, () => client.release()),
    )
  }
}

/** The class of connections that use the current address of `login` and report a refused password to it. */
function clientOf(login: Login): new () => pg.Client {
  class LoginClient extends pg.Client {
    readonly #address: string

    constructor(config?: pg.ClientConfig) {
      const address = login.address()
      super({ ...config, connectionString: address })
      this.#address = address
    }

    override connect(): Promise<pg.Client>
    override connect(callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void)): void
    override connect(callback?: (error: never, client: never) => void): Promise<pg.Client> | void {
      const report = (error: unknown) => {
        if (isWrongPassword(error)) login.refused(this.#address)
      }
      if (!callback)
        return super.connect().catch((error: unknown) => {
          report(error)
          throw error
        })
      super.connect((error: unknown, client?: pg.Client) => {
        report(error)
        callback(error as never, client as never)
      })
    }
  }
  return LoginClient
}

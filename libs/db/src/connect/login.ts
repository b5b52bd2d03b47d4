import type { Logger } from '@whereabouts/service-kit/observe/logging'
import pg from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'

/** The parameter of an address with the password that the role had before. */
const PREVIOUS = 'previous_password'
const WRONG_PASSWORD = '28P01'
const TRIAL_MS = 5_000

/**
 * How connections log in. While a password is changed, `url` also has the previous one. Then each new connection is
 * preceded by one that finds out which of the two the server takes.
 */
export function loginOf(url: string, log?: Logger): pg.ClientConfig {
  const parsed = new URL(url)
  const previous = parsed.searchParams.get(PREVIOUS)
  parsed.searchParams.delete(PREVIOUS)
  if (!previous) return { connectionString: parsed.href } // none, or a template without a value
  const { password: current, ...address } = parseIntoClientConfig(parsed.href)
  const passwords = [String(current), previous]
  return {
    ...address,
    async password() {
      const [first = '', second = ''] = passwords
      if (await isTaken({ ...address, password: first })) return first
      log?.warn({ role: address.user }, 'the database refused a password: trying the other one')
      passwords.splice(0, 2, second, first) // the next connection begins with it
      return second
    },
  }
}

/** True also if the database cannot be reached: the connection itself fails then, with the reason. */
async function isTaken(config: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client({ connectionTimeoutMillis: TRIAL_MS, ...config })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return true
  } catch (error) {
    return !(error instanceof pg.DatabaseError && error.code === WRONG_PASSWORD)
  } finally {
    await client.end()
  }
}

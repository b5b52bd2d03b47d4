import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { createWhereabouts, type Whereabouts } from '../whereabouts.ts'

/** What a sign-in keeps: the address and an API key. */
export type Settings = { baseUrl: string; clientId: string; clientSecret: string; insecureHttp?: boolean }

/** What the user did wrong, without a stack. The program ends with `status`. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly status: number

  constructor(message: string, status = 2) {
    super(message)
    this.status = status
  }
}

export const NOT_FOUND = 3
/** As shells say that Ctrl-C ended a program. */
export const INTERRUPTED = 130

const USER_AGENT = 'whereabouts-cli/1.0'

const NAMES = {
  baseUrl: 'WHEREABOUTS_BASE',
  clientId: 'WHEREABOUTS_CLIENT_ID',
  clientSecret: 'WHEREABOUTS_CLIENT_SECRET',
} as const

const file = (): string =>
  join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'whereabouts', 'key.json')

/** Only its owner may read it. Returns the path. */
export function keep(settings: Settings): string {
  mkdirSync(dirname(file()), { recursive: true, mode: 0o700 })
  const made = `${file()}.${process.pid}` // a new file: an older one would keep its mode, and those who have it open
  writeFileSync(made, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(made, file())
  return file()
}

export function forget(): void {
  rmSync(file(), { force: true })
}

/** The environment, then the file. Undefined for what neither has. */
export function known(): Partial<Settings> {
  const given = Object.fromEntries(
    Object.entries(NAMES).flatMap(([name, variable]) => {
      const value = process.env[variable]
      return value === undefined || value === '' ? [] : [[name, value]]
    }),
  )
  return { ...kept(), ...given }
}

function kept(): Partial<Settings> {
  try {
    return JSON.parse(readFileSync(file(), 'utf8')) as Settings
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw new UsageError(`Cannot read ${file()}. Run "whereabouts login" again.`)
  }
}

/** The client of the key that is signed in. Throws `UsageError` without one. */
export function open(settings: Partial<Settings> = known()): Whereabouts {
  const { baseUrl, clientId, clientSecret, insecureHttp } = settings
  if (baseUrl === undefined || clientId === undefined || clientSecret === undefined)
    throw new UsageError(`Not signed in. Run "whereabouts login", or set ${Object.values(NAMES).join(', ')}.`)
  const allowInsecureHttp = insecureHttp ?? process.env['WHEREABOUTS_INSECURE_HTTP'] === 'true'
  return createWhereabouts({ baseUrl, clientId, clientSecret, userAgent: USER_AGENT, allowInsecureHttp })
}

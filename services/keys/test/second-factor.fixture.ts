import { Secret, TOTP } from 'otpauth'
import type { Keys, Org } from './keys.fixture.ts'

export const TOTP_PATH = '/api/v1/users/me/totp'

/** An authenticator app and what its owner has written down. */
export type App = {
  recoveryCodes: string[]
  /** Of the time step of the service, or of one `steps` later. */
  code(steps?: number): string
  /** A code that was not used: the next step begins. */
  next(): string
}

/** What an app shows for the secret. */
export const codeOf = (secret: string, timestamp: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp })

export async function newSecret(keys: Keys, org: Org): Promise<{ secret: string; uri: string }> {
  const begun = await keys.post(TOTP_PATH, undefined, { caller: keys.admin(org) })
  if (begun.statusCode !== 201) throw new Error(begun.body)
  return begun.json().data
}

export const confirm = (keys: Keys, org: Org, code: string) =>
  keys.post(`${TOTP_PATH}/confirm`, { code }, { caller: keys.admin(org) })

export async function switchOn(keys: Keys, org: Org): Promise<App> {
  const { secret } = await newSecret(keys, org)
  const code: App['code'] = (steps = 0) => codeOf(secret, keys.passTime(0) + steps * 30_000)
  const confirmed = await confirm(keys, org, code())
  if (confirmed.statusCode !== 200) throw new Error(confirmed.body)
  const next = () => {
    keys.passTime(30)
    return code()
  }
  return { recoveryCodes: confirmed.json().data.recovery_codes, code, next }
}

import { unwrap, type Client } from '@whereabouts/client/client'
import { Secret, TOTP } from 'otpauth'

const STEP_MS = 30_000

/** What an authenticator app shows for the secret: now, or some steps of 30 s later. */
export const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * STEP_MS })

/** Switches one-time codes on for the person, and returns their recovery codes. */
export async function switchCodesOn(person: Client): Promise<string[]> {
  const { secret } = unwrap(await person.POST('/api/v1/users/me/totp')).data
  const body = { code: codeOf(secret) }
  return unwrap(await person.POST('/api/v1/users/me/totp/confirm', { body })).data.recovery_codes
}

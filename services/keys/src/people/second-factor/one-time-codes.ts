import { Secret, TOTP } from 'otpauth'

const ISSUER = 'Whereabouts'
/** What authenticator apps take for granted: some ignore other values in the address. */
const FORM = { issuer: ISSUER, algorithm: 'SHA1', digits: 6, period: 30 } as const
/** RFC 4226 asks for 160 bits. */
const SECRET_BYTES = 20
/** Steps of 30 s by which the clock of a phone may differ, each way. */
const TOLERANCE = 1

export const newTotpSecret = (): Buffer => Buffer.from(new Secret({ size: SECRET_BYTES }).bytes)

/** For the person, in base32 and as the address of a QR code. `label`: the account, as the app shows it. */
export function shownSecret(secret: Buffer, label: string): { secret: string; uri: string } {
  const totp = totpOf(secret, label)
  return { secret: totp.secret.base32, uri: totp.toString() }
}

/** The time step (RFC 6238) whose code this is; undefined for none of those near `now` (milliseconds since 1970). */
export function stepOf(secret: Buffer, code: string, now: number): number | undefined {
  if (!hasFormOfCode(code)) return undefined // the library throws for some other texts
  const delta = totpOf(secret).validate({ token: code, timestamp: now, window: TOLERANCE })
  return delta === null ? undefined : Math.floor(now / (FORM.period * 1_000)) + delta
}

export const hasFormOfCode = (code: string): boolean => /^[0-9]{6}$/.test(code)

const totpOf = (secret: Buffer, label = '') =>
  new TOTP({ ...FORM, label, secret: new Secret({ buffer: Uint8Array.from(secret).buffer }) })

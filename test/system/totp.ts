import { Secret, TOTP } from 'otpauth'

/** What an authenticator app shows now for the secret. */
export const codeOf = (secret: string): string => new TOTP({ secret: Secret.fromBase32(secret) }).generate()

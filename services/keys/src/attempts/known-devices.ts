import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'

/** Of the request, and of the answer to one that has it. No gateway passes it on, so only the console knows its value. */
export const DEVICE_HEADER = 'x-known-device'

const LIFE_SECONDS = 30 * 24 * 60 * 60

type Account = { id: number; password_hash: Buffer }

/**
 * Tokens of browsers that have signed in to an account. Such a browser does not wait in the room of those who guess the
 * password; it still needs it. A token is not a credential, names nobody, and ends with the password. Not stored: a MAC
 * with a key of its own proves it.
 */
export function createKnownDevices({ secret, now }: { secret: Buffer; now: () => number }) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'whereabouts known device', 32))
  const macOf = ({ id, password_hash }: Account, until: number) =>
    createHmac('sha256', key).update(`${id}.${until}.`).update(password_hash).digest('base64url')
  return {
    tokenFor(account: Account): string {
      const until = Math.floor(now() / 1_000) + LIFE_SECONDS
      return `${until}.${macOf(account, until)}`
    },

    isKnown(token: string, account: Account): boolean {
      const [until = '', mac = '', ...more] = token.split('.')
      if (more.length > 0 || !/^[1-9]\d{0,11}$/.test(until) || Number(until) * 1_000 <= now()) return false
      const [given, wanted] = [Buffer.from(mac), Buffer.from(macOf(account, Number(until)))]
      return given.length === wanted.length && timingSafeEqual(given, wanted)
    },
  }
}

export type KnownDevices = ReturnType<typeof createKnownDevices>

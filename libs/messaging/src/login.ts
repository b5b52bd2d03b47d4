import type { Authenticator } from 'nats'

export type Login = {
  /** How many passwords there are: 1 or 2. */
  readonly passwords: number
  /** Called by the client library for each attempt to connect. */
  authenticator: Authenticator
  /** A broker has taken the password of the last attempt: the next attempt starts with it. */
  accepted(): void
}

/**
 * The login of a user of the broker with one password, or with two while it is changed, separated by a comma. Brokers
 * are changed one after the other, so every broker must meet both passwords soon, however many brokers there are. The
 * attempts follow the Thue-Morse sequence, in which no regular selection stays the same: new, old, old, new, old, new,
 * new, old.
 */
export function loginOf({ user, password }: { user: string; password: string }): Login {
  const passwords = password.split(',').map((each) => each.trim())
  let start = 0
  let attempts = 0
  const indexOf = (attempt: number) => (start + setBits(attempt)) % passwords.length
  return {
    passwords: passwords.length,
    authenticator() {
      const pass = passwords[indexOf(attempts)] ?? ''
      attempts += 1
      return { user, pass }
    },
    accepted() {
      start = indexOf(Math.max(0, attempts - 1))
      attempts = 0
    },
  }
}

function setBits(n: number): number {
  return n.toString(2).replaceAll('0', '').length
}

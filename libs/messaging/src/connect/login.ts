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
 * are changed one after the other, so every broker must meet both passwords soon, however many brokers the client
 * library tries in turn: two attempts use both passwords, and a coin decides which comes first.
 */
export function loginOf({ user, password }: { user: string; password: string }): Login {
  const passwords = password.split(',').map((each) => each.trim())
  let last = passwords[0] ?? ''
  let next = [...passwords]
  return {
    passwords: passwords.length,
    authenticator() {
      if (next.length === 0) next = Math.random() < 0.5 ? [...passwords] : passwords.toReversed()
      last = next.shift() ?? last
      return { user, pass: last }
    },
    accepted() {
      next = [last, ...passwords.filter((each) => each !== last)]
    },
  }
}

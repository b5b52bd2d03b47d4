import { inspect } from 'node:util'

/** A round that could not be judged. The message says why, and where its logs are. */
export class NoVerdict extends Error {
  override readonly name = 'NoVerdict'
}

/** The messages of an error and of its causes, in one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return inspect(error)
  const { message, name, cause } = error
  const own = message === '' ? name : message
  return cause === undefined ? own : `${own} (${reasonOf(cause)})`
}

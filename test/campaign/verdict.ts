import { inspect } from 'node:util'

/** A round that could not be judged. The message says why, and where its logs are. */
export class NoVerdict extends Error {
  override readonly name = 'NoVerdict'
}

/** The messages of an error and of its causes, in one line. A cause that the error repeats is left out. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return inspect(error)
  const { message, name, cause } = error
  const own = (message === '' ? name : message).trim().replaceAll(/\s+/g, ' ')
  const deeper = cause === undefined ? '' : reasonOf(cause)
  return own.includes(deeper) ? own : `${own} (${deeper})`
}

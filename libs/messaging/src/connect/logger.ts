/** The part of a logger that this lib uses; pino's fits. It keeps the lib free of a logging package. */
export type Logger = Readonly<Record<'debug' | 'info' | 'warn' | 'error', Log>>
type Log = (fields: Record<string, unknown>, text: string) => void

/** An error as log fields: name, message and its causes, without the stack of the client library. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `: ${describeError(error.cause)}`
  return `${error.message}${cause}`
}

/** A failure in one line for a person: the message and those of its causes, without stacks. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // Node reports a refused connection to a name with several addresses as one error without a message.
  const several = error instanceof AggregateError ? error.errors.map(errorText).join(', ') : ''
  const own = error.message || several || error.name
  const cause = error.cause === undefined ? '' : errorText(error.cause)
  return cause === '' || own.includes(cause) ? own : `${own}: ${cause}`
}

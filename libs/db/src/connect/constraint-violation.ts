/** The name of the constraint that a statement violated; undefined for any other failure. */
export function violatedConstraint(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('constraint' in error)) return undefined
  const { code, constraint } = error
  // SQLSTATE class 23: integrity constraint violation.
  return typeof code === 'string' && code.startsWith('23') && typeof constraint === 'string'
    ? constraint
    : undefined
}

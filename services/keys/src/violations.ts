/** Whether PostgreSQL refused a statement because of the constraint with this name. */
export const violates = (error: unknown, constraint: string) =>
  error instanceof Error && 'constraint' in error && error.constraint === constraint

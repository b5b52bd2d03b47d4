import { loadEnv } from '@whereabouts/service-kit/service/env'
import type { z } from 'zod'

/**
 * Compares the variables of a program with its schema: each is set, even if empty for the default, no other is, and the
 * values are valid.
 */
export function variableProblems(
  environments: ReadonlyMap<string, Record<string, string>>,
  schemas: Readonly<Record<string, z.ZodObject>>,
): string[] {
  const unknown = [...environments.keys()].filter((name) => !(name in schemas))
  return [
    ...unknown.map((name) => `unknown program ${name}`),
    ...Object.entries(schemas).flatMap(([name, schema]) => problemsOf(name, schema, environments.get(name))),
  ]
}

function problemsOf(name: string, schema: z.ZodObject, given: Record<string, string> | undefined): string[] {
  if (!given) return [`${name} is missing`]
  const known = Object.keys(schema.shape)
  return [
    ...known.filter((key) => !(key in given)).map((key) => `${name} is not given ${key}`),
    ...Object.keys(given)
      .filter((key) => !known.includes(key))
      .map((key) => `${name} is given ${key}, which it does not read`),
    ...refused(schema, given).map((problem) => `${name}: ${problem}`),
  ]
}

function refused(schema: z.ZodObject, given: Record<string, string>): string[] {
  try {
    loadEnv(schema, given)
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

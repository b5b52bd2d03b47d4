import { z } from 'zod'
import type { FieldEntry } from '@whereabouts/contracts/errors'
import type { Route } from '@whereabouts/contracts/route'
import { listParametersOf } from '@whereabouts/contracts/routes'
import { validationFailed } from '../errors/errors.ts'
import { fieldEntries } from '../errors/field-entries.ts'

const NoParameters = z.strictObject({})

/**
 * Parses the query of routes that take no parameters, or only those of a page. A parameter of other lists is
 * `invalid_context`, any other is unknown (D7.3, D5.7). Throws all problems together.
 */
export function parsePageOrNothing(row: Route, sent: Record<string, unknown>): unknown {
  const parsed = (row.query ?? NoParameters).safeParse(sent, { reportInput: true })
  if (parsed.success) return row.query && parsed.data
  const listParameters = listParametersOf(row.vocabulary)
  const entries = fieldEntries(parsed.error.issues, 'query').map((entry): FieldEntry => {
    const { field, code } = entry
    if (code !== 'unknown_field' || !listParameters.has(field)) return entry
    if (field === 'sort' && row.hasFixedOrder)
      return { field, code: 'invalid_value', message: 'sort parameter not supported on this endpoint' }
    return { field, code: 'invalid_context', message: `${field} is not supported on this endpoint` }
  })
  throw validationFailed(entries as [FieldEntry, ...FieldEntry[]])
}

/** Parses a part of a request. Throws `validation_error` with all problems of that part. */
export function parsePart(schema: z.ZodType, input: unknown, part: 'path' | 'query' | 'body'): unknown {
  const parsed = schema.safeParse(input, { reportInput: true })
  if (parsed.success) return parsed.data
  throw validationFailed(fieldEntries(parsed.error.issues, part) as [FieldEntry, ...FieldEntry[]])
}

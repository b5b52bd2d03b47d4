import { z } from 'zod'
import type { FieldEntry } from '@whereabouts/contracts/errors'
import type { Route } from '@whereabouts/contracts/route'
import { listParametersOf } from '@whereabouts/contracts/routes'
import { validationFailed } from './errors.ts'
import { fieldEntries } from './field-entries.ts'

const NoParameters = z.strictObject({})

/**
 * For routes that take no query parameters, or those of a page alone: a parameter of other lists is out of place here,
 * any other is unknown (D7.3, D5.7). Throws every problem together.
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

/** The parsed part of a request, or `validation_error` with every problem of that part. */
export function parsePart(schema: z.ZodType, input: unknown, part: 'path' | 'query' | 'body'): unknown {
  const parsed = schema.safeParse(input, { reportInput: true })
  if (parsed.success) return parsed.data
  throw validationFailed(fieldEntries(parsed.error.issues, part) as [FieldEntry, ...FieldEntry[]])
}

import { z } from 'zod'
import type { FieldEntry } from '@whereabouts/contracts/errors'
import { listParameters } from '@whereabouts/contracts/routes'
import { rejectIfAny, validationFailed } from './errors.ts'
import { fieldEntries } from './field-entries.ts'

const NoParameters = z.strictObject({})

/** For routes that take no query parameters: a parameter of lists is out of place here, any other is unknown (D7.3). */
export function refuseParameters(sent: Record<string, unknown>): void {
  const parsed = NoParameters.safeParse(sent, { reportInput: true })
  if (parsed.success) return
  const entries = fieldEntries(parsed.error.issues, 'query').map((entry): FieldEntry => {
    if (!listParameters.has(entry.field)) return entry
    const message = `${entry.field} is not supported on this endpoint`
    return { field: entry.field, code: 'invalid_context', message }
  })
  rejectIfAny(entries)
}

/** The parsed part of a request, or `validation_error` with every problem of that part. */
export function parsePart(schema: z.ZodType, input: unknown, part: 'path' | 'query' | 'body'): unknown {
  const parsed = schema.safeParse(input, { reportInput: true })
  if (parsed.success) return parsed.data
  throw validationFailed(fieldEntries(parsed.error.issues, part) as [FieldEntry, ...FieldEntry[]])
}

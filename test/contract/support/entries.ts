import type { FieldEntry } from '@whereabouts/contracts/errors'

/** Field entries worded by the templates of D3. */

export const entry = (
  field: string,
  code: FieldEntry['code'],
  message: string,
  params?: Record<string, unknown>,
): FieldEntry => ({ field, code, message, ...(params && { params }) })

export const typeEntry = (field: string, expected_type: string, received_type: string) =>
  entry(field, 'invalid_value', `${field} must be ${expected_type}; received ${received_type}`, {
    expected_type,
    received_type,
  })
export const nullEntry = (field: string, expected_type: string) =>
  entry(field, 'invalid_value', `${field} cannot be null`, { expected_type, received_type: 'null' })
export const enumEntry = (field: string, allowed_values: readonly string[]) =>
  entry(field, 'invalid_value', `${field} must be one of: ${allowed_values.join(', ')}`, { allowed_values })
export const required = (field: string) => entry(field, 'required', `${field} is required`)
export const tooShort = (field: string, min_length = 1) =>
  entry(
    field,
    'too_short',
    `${field} must be at least ${min_length} character${min_length === 1 ? '' : 's'}`,
    {
      min_length,
    },
  )
export const tooLong = (field: string, max_length: number) =>
  entry(field, 'too_long', `${field} must be at most ${max_length} characters`, { max_length })
export const fewItems = (field: string, min_length: number) =>
  entry(
    field,
    'too_short',
    `${field} must contain at least ${min_length} item${min_length === 1 ? '' : 's'}`,
    {
      min_length,
    },
  )
export const manyItems = (field: string, max_length: number) =>
  entry(field, 'too_long', `${field} must contain at most ${max_length} items`, { max_length })
export const notATime = (field: string) =>
  entry(field, 'invalid_value', `${field} must be an RFC 3339 timestamp`)

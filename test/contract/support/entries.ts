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
export const enumEntry = (field: string, allowed_values: string[]) =>
  entry(field, 'invalid_value', `${field} must be one of: ${allowed_values.join(', ')}`, { allowed_values })
export const required = (field: string) => entry(field, 'required', `${field} is required`)
export const tooShort = (field: string) =>
  entry(field, 'too_short', `${field} must be at least 1 character`, { min_length: 1 })
export const tooLong = (field: string, max_length: number) =>
  entry(field, 'too_long', `${field} must be at most ${max_length} characters`, { max_length })
export const notATime = (field: string) =>
  entry(field, 'invalid_value', `${field} must be an RFC 3339 timestamp`)

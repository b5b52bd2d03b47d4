import { WINDOW_PROBLEM } from '@whereabouts/contracts/object-rules'
import { AppError } from '@whereabouts/service-kit/app-error'
import { validationFailed } from '@whereabouts/service-kit/errors'

/** Every AppError this service can raise itself. */

export const assetNotFound = () => new AppError('not_found', 'Asset not found')
export const locationNotFound = () => new AppError('not_found', 'Location not found')
export const tagNotFound = () => new AppError('not_found', 'Tag not found')

export const assetKeyTaken = (key: string) => new AppError('conflict', `asset ${key} already exists`)
export const locationKeyTaken = (key: string) => new AppError('conflict', `location ${key} already exists`)
export const tagExists = (type: string, value: string) =>
  new AppError('conflict', `tag ${type}:${value} already exists`)

/** Somebody chose a key so long that its successor would not be a key any more. */
export const keysExhausted = (prefix: string) =>
  new AppError('conflict', `no ${prefix} number is left after the highest one; send an external_key`)

export const locationHasChildren = (key: string) =>
  new AppError('conflict', `location ${key} still has child locations`)

export const windowInverted = () => validationFailed([WINDOW_PROBLEM])

export const parentNotFound = (field: 'parent_id' | 'parent_external_key') =>
  validationFailed([{ field, code: 'fk_not_found', message: `${field} does not refer to a location` }])

export const parentsDiffer = () => {
  const message = 'parent_id and parent_external_key must refer to the same resource'
  return validationFailed([
    { field: 'parent_id', code: 'ambiguous_fields', message },
    { field: 'parent_external_key', code: 'ambiguous_fields', message },
  ])
}

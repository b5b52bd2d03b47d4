import { MAX_IMPORT_ROWS } from '@whereabouts/contracts/resources/catalog/imports'
import { limits } from '@whereabouts/contracts/limits'
import { floorLimits } from '@whereabouts/contracts/resources/catalog/floor-plans'
import type { FieldEntry } from '@whereabouts/contracts/errors'
import { WINDOW_PROBLEM } from '@whereabouts/contracts/rules/object-rules'
import { MAX_TAGS } from '@whereabouts/contracts/resources/catalog/tags'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { mustReferToSameResource, validationFailed } from '@whereabouts/service-kit/errors/errors'

/** Every AppError of this service. */

export const assetNotFound = () => new AppError('not_found', 'Asset not found')
export const locationNotFound = () => new AppError('not_found', 'Location not found')
export const tagNotFound = () => new AppError('not_found', 'Tag not found')

/** A key of a live resource, or a tag, that a request wanted. */
export type Wanted =
  | { resource: 'asset' | 'location'; external_key: string }
  | { tag_type: string; value: string }

/** Something else may have what was wanted. The transaction is over when its owner is looked up (`naming-owners.ts`). */
export class TakenError extends AppError {
  readonly wanted: Wanted

  constructor(detail: string, wanted: Wanted) {
    super('conflict', detail)
    this.wanted = wanted
  }
}

export const assetKeyTaken = (key: string) =>
  new TakenError(`asset ${key} already exists`, { resource: 'asset', external_key: key })
export const locationKeyTaken = (key: string) =>
  new TakenError(`location ${key} already exists`, { resource: 'location', external_key: key })
export const tagExists = (type: string, value: string) =>
  new TakenError(`tag ${type}:${value} already exists`, { tag_type: type, value })

/** A restore under this key is not possible. `name`: of the resource that has the key, if it is known. */
export const keyNeeded = (resource: 'asset' | 'location', key: string, name?: string) =>
  new TakenError(
    `The external key ${key} belongs to ${name === undefined ? `another ${resource}` : `the ${resource} “${name}”`} now. ` +
      `Choose another external key to restore this ${resource}.`,
    { resource, external_key: key },
  )

export const notDeleted = (resource: 'asset' | 'location', key: string) =>
  new AppError('conflict', `${resource} ${key} is not deleted, so a restore cannot change it`)

/** A restore would need to move the location, which only the caller decides. */
export const parentDeleted = (parent: { external_key: string; name: string } | undefined) =>
  new AppError(
    'conflict',
    `The parent location ${parent ? `“${parent.name}” (${parent.external_key})` : ''} is deleted. ` +
      'Restore it first, or choose another parent location or the top level.',
  )

/** The highest live key is so long that the next one would exceed the maximum length. */
export const keysExhausted = (prefix: string) =>
  new AppError('conflict', `no ${prefix} numbers are left; send an external_key`)

export const locationHasChildren = (key: string) =>
  new AppError('conflict', `location ${key} still has child locations`)

export const locationInsideItself = (key: string) =>
  new AppError('conflict', `location ${key} cannot be moved into itself or into a location inside it`)

export const tooManyTags = () => new AppError('conflict', `a resource can have at most ${MAX_TAGS} tags`)

/** A file with empty locations would look as if the assets were nowhere. */
export const locationsUnavailable = (cause: unknown) =>
  new AppError(
    'service_unavailable',
    'The locations of the assets are not available now, so the export was not made',
    { headers: { 'retry-after': '30' }, cause },
  )

export const windowInverted = () => validationFailed([WINDOW_PROBLEM])

export const parentNotFound = (field: 'parent_id' | 'parent_external_key') =>
  validationFailed([{ field, code: 'fk_not_found', message: `${field} does not refer to a location` }])

export const currentLocationNotFound: FieldEntry = {
  field: 'current_location',
  code: 'fk_not_found',
  message: 'current_location does not refer to a location',
}

/** The legacy list filters by current location. */
export const tooManyAssetsAtLocations = (max: number) =>
  validationFailed([
    {
      field: 'location',
      code: 'too_large',
      message: `the locations must have at most ${max} assets together; name fewer`,
      params: { max },
    },
  ])

export const tooManyMisplaced = (max: number) =>
  validationFailed([
    {
      field: 'misplaced',
      code: 'too_large',
      message: `misplaced must find at most ${max} assets; name their homes by home_location_id`,
      params: { max },
    },
  ])

export const parentsDiffer = () =>
  validationFailed(mustReferToSameResource('parent_id', 'parent_external_key'))

export const importNotFound = () => new AppError('not_found', 'Import not found')

const rateLimited = (detail: string, retrySeconds: number) =>
  new AppError('rate_limited', detail, { headers: { 'retry-after': String(retrySeconds) } })

/** The transfer has not begun. */
export const tooManyTransfers = rateLimited

/** Short imports finish sooner. */
const IMPORT_RETRY_SECONDS = 10

export function tooManyImports(of: 'user' | 'organization', oldest: { id: number; state: string }) {
  const max = limits.unfinishedImports[of]
  const why =
    oldest.state === 'uploading' ? 'a file is still being uploaded' : `import ${oldest.id} is not finished`
  return rateLimited(`At most ${max} unfinished imports per ${of}; ${why}`, IMPORT_RETRY_SECONDS)
}

export const notAFinishedDryRun = (id: number) =>
  new AppError('conflict', `import ${id} is not a finished dry run`)

export const floorPlanNotFound = () => new AppError('not_found', 'Floor plan not found')
export const floorImageNotFound = () => new AppError('not_found', 'Image not found')

export const floorPlanChanged = () =>
  new AppError('conflict', 'Somebody else has changed this floor plan. Load it and make your changes again.')

const floorLimit = (what: string, max: string) =>
  new AppError(
    'conflict',
    `An organization can have at most ${max} on its floor plans. Remove some ${what} first.`,
  )
export const tooManyPlans = () =>
  new AppError('conflict', `An organization can have at most ${floorLimits.plans} floor plans`)
export const tooManyZones = () => floorLimit('zones', `${floorLimits.zones} zones`)
export const tooManyReaders = () => floorLimit('readers', `${floorLimits.readers} readers`)

/** `detail` says what is wrong and what to do. */
export const invalidImage = (detail: string) =>
  validationFailed([{ field: 'image', code: 'invalid_value', message: detail }])

export const zonesNotFound = (indexes: readonly [number, ...number[]], isInside: boolean) => {
  const entry = (index: number): FieldEntry => {
    const field = `zones[${index}].location_id`
    const what = isInside ? 'a location inside the location of this plan' : 'a location'
    return { field, code: 'fk_not_found', message: `${field} does not refer to ${what}` }
  }
  const [first, ...rest] = indexes
  return validationFailed([entry(first), ...rest.map(entry)])
}

export const tooManyRows = () =>
  new AppError('payload_too_large', `A file can have at most ${MAX_IMPORT_ROWS} rows; split it`)

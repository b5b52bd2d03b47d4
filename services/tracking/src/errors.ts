import { limits } from '@whereabouts/contracts/limits'
import type { FieldEntry } from '@whereabouts/contracts/errors'
import type { Principal } from '@whereabouts/contracts/principal'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { invalidToken, validationFailed } from '@whereabouts/service-kit/errors/errors'

export const orgNotFound = () => new AppError('not_found', 'Organization not found')
export const assetNotFound = () => new AppError('not_found', 'Asset not found')
export const readerNotFound = () => new AppError('not_found', 'Reader not found')
export const scanPointNotFound = () => new AppError('not_found', 'Scan point not found')
export const unknownTagNotFound = () => new AppError('not_found', 'Unknown tag not found')
export const readerExists = (key: string) => new AppError('conflict', `reader ${key} already exists`)
export const antennaTaken = (antenna: number) =>
  new AppError('conflict', `antenna ${antenna} of this reader already has a scan point`)

/** `holder`: a user, a client address or an organization. */
export const tooManyStreams = (max: number, holder: string) =>
  new AppError('rate_limited', `At most ${max} live stream${max === 1 ? '' : 's'} of ${holder} at a time`, {
    headers: { 'retry-after': '5' },
  })

export const exportNotFound = () => new AppError('not_found', 'Export not found')

/** Also for a signature that is wrong, which tells nothing about other exports. */
export const exportFileNotFound = () =>
  new AppError('not_found', 'This link is wrong, or its export was removed. Read the export for a new link')

export const rangeNotSatisfiable = (bytes: number) =>
  new AppError('range_not_satisfiable', `The file has ${bytes} bytes`, {
    headers: { 'content-range': `bytes */${bytes}` },
  })

export const tooManyExports = (oldestId: number) =>
  new AppError(
    'rate_limited',
    `At most ${limits.unfinishedExports.organization} unfinished exports of an organization; export ${oldestId} is not finished. ` +
      'Wait until one is done, or delete one',
    { headers: { 'retry-after': '10' } },
  )

export const tooManyDownloads = (max: number) =>
  new AppError('rate_limited', `At most ${max} downloads of an organization at a time`, {
    headers: { 'retry-after': '5' },
  })

export const tooManyTestReads = () =>
  new AppError('rate_limited', 'Wait a second before the next test read', { headers: { 'retry-after': '1' } })

export const tooManyMessages = () =>
  new AppError('rate_limited', 'Too many messages of this reader or of all readers. Retry after 1 seconds', {
    headers: { 'retry-after': '1' },
  })
export const otherReaderOnly = (readerKey: string) =>
  new AppError('forbidden', `This API key may send for the reader ${readerKey} only`)

/** For what only the key of a reader may ask. */
export const ownKeyOnly = ({ kind, readerKey: bound }: Principal, readerKey: string) =>
  kind === 'key' && bound === undefined
    ? invalidToken() // of the release before, which does not say (D16.1)
    : kind === 'key' && bound !== null && bound !== undefined
      ? otherReaderOnly(bound)
      : new AppError(
          'forbidden',
          `Only an API key that is bound to the reader ${readerKey} may ask this. Create one with this reader_key, or use the screen of the reader`,
        )

export const tooManyDecodings = () =>
  new AppError('rate_limited', 'Wait a second before the next message', { headers: { 'retry-after': '1' } })

export const tooManyPreviews = () =>
  new AppError('rate_limited', 'Other previews are running. Wait until one of them has ended', {
    headers: { 'retry-after': '5' },
  })

export const previewTooLong = () =>
  new AppError('service_unavailable', 'The preview took too long. Ask for fewer hours', {
    headers: { 'retry-after': '5' },
  })

/** No reader could send this value, so a test read of it would not find its tag. */
export const unreadableTag = (expected: string) =>
  validationFailed([{ field: 'value', code: 'invalid_value', message: `value must be ${expected}` }])

export const locationUnresolved = (field: string) =>
  validationFailed([{ field, code: 'fk_not_found', message: `${field} does not name a live location` }])

/**
 * All keys of a save that name nothing live, because the caller must correct each of them (D8.5). Undefined if there are
 * none.
 */
export function keysUnresolved(
  locationKey: string | undefined,
  assetKeys: readonly string[],
): AppError | undefined {
  const [first, ...others] = [
    ...(locationKey === undefined ? [] : [unresolved('location_identifier', 'location', locationKey)]),
    ...assetKeys.map((key) => unresolved('asset_identifiers', 'asset', key)),
  ]
  return first && validationFailed([first, ...others], 1 + others.length)
}

const unresolved = (field: string, kind: string, value: string): FieldEntry => ({
  field,
  code: 'fk_not_found',
  message: `${field}: ${value} does not name a live ${kind}`,
  params: { value },
})

/** The window has more movements than one request can count. */
export const windowTooFull = () =>
  validationFailed([
    {
      field: 'from',
      code: 'invalid_value',
      message: 'too many movements between from and to; choose a shorter window',
    },
  ])

/** For an instant older than the kept history. */
export function beforeKeptHistory(field: string, oldestMs: number): AppError {
  const min = new Date(oldestMs).toISOString()
  return validationFailed([
    { field, code: 'too_small', message: `${field} must be ≥ ${min}`, params: { min } },
  ])
}

export const ruleNotFound = () => new AppError('not_found', 'Rule not found')
export const alertNotFound = () => new AppError('not_found', 'Alert not found')
export const alertResolvedAlready = () =>
  new AppError('conflict', 'The alert is resolved. Only an open alert can be acknowledged')
export const tooManyRules = (max: number) =>
  new AppError('conflict', `An organization has at most ${max} rules. Delete one that is not needed`)

/** Of a rule that is made or changed: more is true already than is raised without being asked. */
export const existingAlerts = (count: number, most: number) =>
  new AppError(
    'conflict',
    `The rule would raise ${count} alerts at once, and ${most} are raised without asking. ` +
      'Send raise_existing=true to raise them, or raise_existing=false for what happens from now on',
    { count },
  )
export const previewTooLarge = () =>
  validationFailed([
    {
      field: 'to',
      code: 'too_large',
      message: 'from to to has more movements than a preview reads in five seconds; choose a shorter time',
    },
  ])

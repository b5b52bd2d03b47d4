import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { validationFailed } from '@whereabouts/service-kit/errors/errors'

/** Also for a webhook of another organization, because a caller must not learn that the id exists. */
export const webhookNotFound = () => new AppError('not_found', 'Webhook not found')
export const webhookExists = () => new AppError('conflict', 'The organization already has a webhook')
export const tooManyEndpoints = (max: number) =>
  new AppError('conflict', `The organization has ${max} further webhooks. Delete one first`)
export const tooManyTests = (waitSeconds: number) =>
  new AppError('rate_limited', `Retry after ${waitSeconds} seconds`, {
    headers: { 'retry-after': String(waitSeconds) },
  })

/** Also for a cursor of another organization. */
export const notACursor = () =>
  validationFailed([
    { field: 'after', code: 'invalid_value', message: 'after must be the cursor of an answer' },
  ])
/** `oldest`: everything that is kept comes after it; `newest`: nothing does. */
export const cursorGone = (oldest: string, newest: string) =>
  new AppError(
    'gone',
    'Events after this cursor were removed. Read everything again, then go on with error.cursor',
    {
      cursor: { oldest, newest },
    },
  )
export const tooManyEventStreams = (max: number) =>
  new AppError('rate_limited', `At most ${max} streams and waiting requests of an organization at a time`, {
    headers: { 'retry-after': '5' },
  })

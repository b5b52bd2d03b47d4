import { AppError } from '@whereabouts/service-kit/errors/app-error'

/** Also for a webhook of another organization, because a caller must not learn that the id exists. */
export const webhookNotFound = () => new AppError('not_found', 'Webhook not found')
export const webhookExists = () => new AppError('conflict', 'The organization already has a webhook')
export const tooManyTests = (waitSeconds: number) =>
  new AppError('rate_limited', `Retry after ${waitSeconds} seconds`, {
    headers: { 'retry-after': String(waitSeconds) },
  })

import type { FieldEntry } from '@whereabouts/contracts/errors'
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

/** Also once it is no longer in the log, or its event is no longer kept. */
export const deliveryNotFound = () => new AppError('not_found', 'Delivery not found')
export const webhookIsOff = () =>
  new AppError('conflict', 'Deliveries of the webhook are off. Set enabled to true first')
/** An entry for each type that the webhook does not get. */
export const notOfTheWebhook = (asked: readonly string[], own: readonly string[]): FieldEntry[] =>
  asked.flatMap((type, index) => {
    const field = `event_types[${index}]`
    const message = `${field} must be one of: ${own.join(', ')}`
    const entry: FieldEntry = { field, code: 'invalid_value', message, params: { allowed_values: own } }
    return own.includes(type) ? [] : [entry]
  })
export const tooManyToReplay = (max: number) =>
  validationFailed([
    {
      field: 'from',
      code: 'too_large',
      message: `from must leave at most ${max} events`,
      params: { max },
    },
  ])

export const tooManyEventStreams = (max: number) =>
  new AppError('rate_limited', `At most ${max} streams and waiting requests of an organization at a time`, {
    headers: { 'retry-after': '5' },
  })

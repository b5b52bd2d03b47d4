export {
  ApiError,
  unwrap,
  type Client,
  type ErrorBody,
  type components,
  type operations,
  type paths,
} from './client.ts'
export { createWhereabouts, type ListPath, type Whereabouts, type WhereaboutsOptions } from './whereabouts.ts'
export type { Asset, AssetFields, Location, LocationFields, Upserted } from './upsert.ts'
export type { RetryOptions } from './retry.ts'
export {
  isAssetMoved,
  verifyWebhook,
  WebhookVerificationError,
  webhookSignature,
  type AssetMovedEvent,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookRefusal,
} from './webhooks.ts'

export {
  ApiError,
  ConnectionError,
  unwrap,
  type Client,
  type ErrorBody,
  type components,
  type operations,
  type paths,
} from './client.ts'
export {
  createWhereabouts,
  type Abortable,
  type InventorySaved,
  type ListPath,
  type Whereabouts,
  type WhereaboutsOptions,
} from './whereabouts.ts'
export type { Asset, AssetFields, Location, LocationFields, Upserted } from './upsert.ts'
export type {
  AssetItem,
  AssetSyncOptions,
  LocationItem,
  SyncOptions,
  SyncReport,
  SyncResult,
} from './sync.ts'
export {
  ExportFailed,
  type Export,
  type ExportDetail,
  type ExportFile,
  type ExportRequest,
  type ExportWait,
} from './exports.ts'
export type { RetryOptions } from './retry.ts'
export {
  isAssetMoved,
  standardWebhookSignature,
  verifyWebhook,
  WebhookVerificationError,
  webhookSignature,
  type AssetMovedEvent,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookRefusal,
} from './webhooks.ts'
export { cursorFile, type ConsumeOptions, type CursorStore, type Event } from './events.ts'
export type { Movement } from './follow.ts'
export type { FollowOptions, MovementFilter, MovementsRequest } from './movements.ts'

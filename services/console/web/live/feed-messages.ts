import type { FeedEvent } from './movement.ts'

/** From a page to the worker. */
export type FromPage =
  /** The page listens, and has seen everything up to `lastId`. Repeated as the answer to each cursor. */
  { type: 'here'; lastId: string } | { type: 'gone' } | { type: 'token'; request: number; token: string }

/** From the worker to a page. */
export type FromWorker = FeedEvent | { type: 'token'; request: number; refused: string | undefined }

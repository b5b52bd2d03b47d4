import type { FeedEvent } from './movement.ts'

/** A source of movements for this page. */
export type Feed = {
  /** Starts, or continues after `lastId`. May be called again while it is open. */
  open(): void
  /** Stops: the page is left or kept for later. */
  close(): void
}

export type FeedOptions = {
  token: (refused?: string) => Promise<string | undefined>
  onEvent: (event: FeedEvent) => void
  /** The event up to which the page knows everything. */
  lastId: () => string
}

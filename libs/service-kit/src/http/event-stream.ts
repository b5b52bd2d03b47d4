/** Headers of server-sent events: no proxy may buffer or cache them. */
export const UNBUFFERED = {
  'cache-control': 'private, no-store, no-transform',
  'x-accel-buffering': 'no',
}

/** How long a client waits before it reconnects. Random, so that those of a stopped process do not come at once. */
export const retryText = (): string => `retry: ${Math.round(1_000 + Math.random() * 2_000)}\n`

/** Not an event: says that the client has seen everything up to this id, and that the connection is alive. */
export const seenText = (id: string): string => `:\nid: ${id}\n\n`

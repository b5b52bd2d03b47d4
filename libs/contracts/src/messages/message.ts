import type { z } from 'zod'

/**
 * One kind of message between services. `keep: 'last'` is a full state on a compacted stream, where only the newest
 * message of a subject counts. `keep: 'all'` is an event, where each message counts.
 */
export type Message<S extends z.ZodType = z.ZodType> = {
  name: string
  schema: S
  keep: 'last' | 'all'
  subject(payload: z.output<S>): string
  /** The stream drops the message after this many seconds. If left out, the limits of the stream apply. */
  ttlSeconds?: number
  /** The id with which the broker deduplicates. State messages leave it out: the outbox mints one per change. */
  messageId?(payload: z.output<S>): string
}

export type PayloadOf<M> = M extends Message<infer S> ? z.output<S> : never

/** Declares a message. The literal is the whole definition. */
export const defineMessage = <S extends z.ZodType>(message: Message<S>): Message<S> => message

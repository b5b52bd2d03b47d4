import type { z } from 'zod'

/**
 * One kind of message between services. `keep` says how its stream treats a subject: `last` is full state on a
 * compacted stream, where only the newest message of a subject counts; `all` is an event, where each one counts.
 */
export type Message<S extends z.ZodType = z.ZodType> = {
  name: string
  schema: S
  keep: 'last' | 'all'
  subject(payload: z.output<S>): string
  /** The stream forgets the message so many seconds after it was stored. Left out: it stays, as its stream says. */
  ttlSeconds?: number
  /** What the broker deduplicates by. A state message has none of its own: the outbox mints one per change. */
  messageId?(payload: z.output<S>): string
}

export type PayloadOf<M> = M extends Message<infer S> ? z.output<S> : never

/** Declares a message; the literal is the whole definition. */
export const defineMessage = <S extends z.ZodType>(message: Message<S>): Message<S> => message

import { NatsError, ErrorCode, type Msg } from 'nats'
import type { z } from 'zod'
import { natsOf, type Broker } from '../connect/connection.ts'
import { fromNatsHeaders, toNatsHeaders } from './headers.ts'
import { describeError, type Logger } from '../connect/logger.ts'
import { recordSpan, spanTime } from '@whereabouts/service-kit/observe/spans'
import {
  currentTrace,
  rootTrace,
  traceHeaders,
  traceOfMessage,
  withTrace,
} from '@whereabouts/service-kit/observe/trace'

/**
 * Why a request has no result. The responder answers `refused`, `failed` and `overloaded`; the others happen on the
 * way.
 */
export type RequestFailure =
  | 'timeout'
  | 'no_responders'
  | 'overloaded'
  | 'refused'
  | 'failed'
  | 'aborted'
  | 'unreachable'

export class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly failure: RequestFailure

  constructor(failure: RequestFailure, message: string, options?: ErrorOptions) {
    super(message, options)
    this.failure = failure
  }
}

/** A handler throws it to refuse a request with a text that the caller may see. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
}

type Reply = { data: unknown } | { error: { failure: RequestFailure; message: string } }

/**
 * Sends a request and resolves with the answer as parsed JSON, which the caller must validate. Rejects with a
 * RequestError. Never retries, because only the caller knows whether that is safe.
 */
export async function request(
  broker: Broker,
  subject: string,
  payload: unknown,
  { timeoutMs, signal }: { timeoutMs: number; signal?: AbortSignal },
): Promise<unknown> {
  if (signal?.aborted) throw new RequestError('aborted', `${subject}: aborted`)
  if (!broker.isConnected()) throw new RequestError('unreachable', `${subject}: broker disconnected`)
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(new RequestError('aborted', `${subject}: aborted`))
  signal?.addEventListener('abort', abort, { once: true })
  try {
    return unwrap(subject, await Promise.race([send(broker, subject, payload, timeoutMs), aborted.promise]))
  } finally {
    signal?.removeEventListener('abort', abort)
  }
}

async function send(broker: Broker, subject: string, payload: unknown, timeoutMs: number): Promise<Msg> {
  const headers = toNatsHeaders(traceHeaders(currentTrace() ?? rootTrace()))
  try {
    return await natsOf(broker).request(subject, JSON.stringify(payload), { timeout: timeoutMs, headers })
  } catch (error) {
    const code = error instanceof NatsError ? error.code : undefined
    const failure =
      code === ErrorCode.Timeout
        ? 'timeout'
        : code === ErrorCode.NoResponders
          ? 'no_responders'
          : 'unreachable'
    throw new RequestError(failure, `${subject}: ${describeError(error)}`, { cause: error })
  }
}

function unwrap(subject: string, msg: Msg): unknown {
  const reply = parseReply(msg)
  if (reply && 'data' in reply) return reply.data
  if (reply && 'error' in reply)
    throw new RequestError(reply.error.failure, `${subject}: ${reply.error.message}`)
  throw new RequestError('failed', `${subject}: malformed answer`)
}

function parseReply(msg: Msg): Reply | undefined {
  try {
    return msg.json<Reply>()
  } catch {
    return undefined // the caller of this function reports it
  }
}

export type Responder = { stop(): Promise<void> }

export type RespondOptions = {
  logger: Logger
  /**
   * Requests handled at the same time. Further ones are refused as `overloaded` at once, because they would time out.
   */
  concurrency?: number
}

/**
 * Answers requests. One of all responders with the same `queue` gets each request. The handler gets parsed JSON,
 * which it must validate, and its result is sent as JSON. Its errors are logged; the caller sees only the text of a
 * RefusedError.
 */
export function respond(
  broker: Broker,
  subject: string,
  queue: string,
  handler: (payload: unknown) => Promise<unknown>,
  { logger, concurrency = 256 }: RespondOptions,
): Responder {
  const active = new Set<Promise<void>>()
  const subscription = natsOf(broker).subscribe(subject, {
    queue,
    callback: (error, msg) => {
      if (error) logger.error({ subject, reason: describeError(error) }, 'requests cannot be received')
      else receive(msg)
    },
  })

  function receive(msg: Msg): void {
    if (active.size >= concurrency) return answer(msg, failure('overloaded', 'too many requests at once'))
    const handled = handle(msg).finally(() => active.delete(handled))
    active.add(handled)
  }

  async function handle(msg: Msg): Promise<void> {
    let payload: unknown
    try {
      payload = msg.json()
    } catch {
      return answer(msg, failure('refused', 'the request is not JSON'))
    }
    const [trace, startedAt] = [traceOfMessage(fromNatsHeaders(msg.headers)), spanTime()]
    const span = { name: `answer ${subject}`, kind: 'server', startedAt } as const
    try {
      answer(msg, { data: (await withTrace(trace, async () => handler(payload))) ?? null })
      recordSpan(trace, span)
    } catch (error) {
      recordSpan(trace, { ...span, failure: describeError(error) })
      const refused = error instanceof RefusedError
      const fields = { subject, reason: describeError(error), request_id: trace.requestId }
      if (!refused) logger.error(fields, 'request failed')
      answer(msg, refused ? failure('refused', error.message) : failure('failed', 'the request failed'))
    }
  }

  function answer(msg: Msg, reply: Reply): void {
    try {
      msg.respond(JSON.stringify(reply))
    } catch (error) {
      logger.error({ subject, reason: describeError(error) }, 'answer could not be sent')
    }
  }

  return {
    async stop() {
      if (!natsOf(broker).isClosed()) await subscription.drain()
      await Promise.all(active)
    },
  }
}

/**
 * How a service answers a question of the contracts. `answer` refuses a payload that is not the question, with the text
 * `refusal`. `serve` answers over the broker; one of all replicas answers each request.
 */
export function answering<D, Q extends z.ZodType, A>(
  { subject, request: schema }: { subject: string; request: Q },
  refusal: string,
  handle: (deps: D, question: z.output<Q>) => Promise<A>,
) {
  const answer = async (deps: D, payload: unknown): Promise<A> => {
    const question = schema.safeParse(payload)
    if (!question.success) throw new RefusedError(refusal)
    return handle(deps, question.data)
  }
  const queue = subject.split('.').slice(1).join('-')
  const serve = (broker: Broker, deps: D, logger: Logger): Responder =>
    respond(broker, subject, queue, async (payload) => answer(deps, payload), { logger })
  return { answer, serve }
}

const failure = (kind: RequestFailure, message: string): Reply => ({ error: { failure: kind, message } })

import type { Msg, NatsConnection } from 'nats'
import { metricsOf, natsOf, newInbox, type Broker } from '../connect/connection.ts'
import { toNatsHeaders } from './headers.ts'
import { describeError, type Logger } from '../connect/logger.ts'
import { isTracing, recordSpan, spanTime } from '@whereabouts/service-kit/observe/spans'
import { childTrace, traceFrom, traceHeaders, type Trace } from '@whereabouts/service-kit/observe/trace'

export type OutgoingMessage = {
  subject: string
  /** A value to send as JSON, or bytes to send unchanged. */
  payload: unknown
  /** A second message with the same id within two minutes is not stored. */
  msgId?: string
  /** `traceparent` and `request_id` of the running request are added if missing. */
  headers?: Readonly<Record<string, string>>
}

/** Result for one message. A failed message may still have been stored: publish it again with the same id. */
export type PublishResult =
  | { ok: true; stream: string; seq: number; duplicate: boolean }
  | { ok: false; reason: string }

const TIMEOUT_MS = 5_000

/** Resolves once a stream has stored the message or knows its id. Throws otherwise; a retry with `msgId` is safe. */
export async function publish(broker: Broker, message: OutgoingMessage, timeoutMs = TIMEOUT_MS) {
  const [result] = await publishMany(broker, [message], timeoutMs)
  if (!result?.ok) throw new Error(`not stored: ${message.subject}: ${result?.reason ?? 'no answer'}`)
  return result
}

/**
 * Sends all messages in order without waiting in between, then collects the answers. Result `i` belongs to message
 * `i`. Never throws: without an answer in `timeoutMs` a result is a failure.
 */
export async function publishMany(
  broker: Broker,
  messages: readonly OutgoingMessage[],
  timeoutMs = TIMEOUT_MS,
): Promise<PublishResult[]> {
  if (messages.length === 0) return []
  const nc = natsOf(broker)
  if (!broker.isConnected()) {
    metricsOf(broker)?.unpublished('disconnected', messages.length)
    return messages.map(() => ({ ok: false, reason: 'broker disconnected' }))
  }
  const results: (PublishResult | undefined)[] = messages.map(() => undefined)
  const inbox = newInbox(broker)
  await new Promise<void>((done) => {
    let missing = messages.length
    const answered = (index: number, result: PublishResult) => {
      if (results[index] !== undefined || index >= results.length) return
      results[index] = result
      missing -= 1
      if (missing === 0) finish()
    }
    // One subscription and one timer for all: separate requests cost an inbox, a timer and an Error per message.
    const subscription = nc.subscribe(`${inbox}.*`, {
      callback: (error, msg) => {
        if (error) finish()
        else answered(Number(msg.subject.slice(inbox.length + 1)), readAck(msg))
      },
    })
    const timer = setTimeout(finish, timeoutMs)
    function finish() {
      clearTimeout(timer)
      subscription.unsubscribe()
      done()
    }
    const trace = traceHeaders(childTrace())
    for (const [index, message] of messages.entries()) {
      const reason = send(nc, { ...message, headers: { ...trace, ...message.headers } }, `${inbox}.${index}`)
      if (reason !== undefined) answered(index, { ok: false, reason })
    }
  })
  countFailures(broker, results)
  return results.map((result) => result ?? { ok: false, reason: 'no answer in time' })
}

function countFailures(broker: Broker, results: readonly (PublishResult | undefined)[]): void {
  const unanswered = results.filter((result) => result === undefined).length
  const refused = results.filter((result) => result?.ok === false).length
  if (unanswered > 0) metricsOf(broker)?.unpublished('no_answer', unanswered)
  if (refused > 0) metricsOf(broker)?.unpublished('refused', refused)
}

/** Returns why the message could not be sent, so that one bad message does not stop the others. */
function send(nc: NatsConnection, message: OutgoingMessage, reply: string): string | undefined {
  try {
    const { subject, payload, msgId, headers } = message
    const all = { ...headers, ...(msgId !== undefined && { 'Nats-Msg-Id': msgId }) }
    nc.publish(subject, encode(payload), { reply, headers: toNatsHeaders(all) })
    return undefined
  } catch (error) {
    return describeError(error)
  }
}

const encode = (payload: unknown) =>
  payload instanceof Uint8Array ? payload : Buffer.from(JSON.stringify(payload))

type Ack = { stream?: string; seq?: number; duplicate?: boolean; error?: { description?: string } }

function readAck(msg: Msg): PublishResult {
  if (msg.data.length === 0) return { ok: false, reason: 'no stream takes this subject' } // status 503
  try {
    const { stream, seq, duplicate = false, error } = msg.json<Ack>()
    if (stream !== undefined && seq !== undefined && !error) return { ok: true, stream, seq, duplicate }
    return { ok: false, reason: error?.description ?? 'malformed acknowledgement' }
  } catch {
    return { ok: false, reason: 'malformed acknowledgement' }
  }
}

export type OutboxRow = {
  subject: string
  msg_id: string
  payload: unknown
  headers: Record<string, string>
  /** How long it has waited, in seconds. */
  age: number
}

/** True for a row that is stored, now or earlier. Rows with false stay in the outbox. */
export type OutboxPublish = (rows: readonly OutboxRow[]) => Promise<boolean[]>

/** Makes the `publish` of an outbox relay. Logs when rows start to fail and when they are published again. */
export function outboxPublish(broker: Broker, logger: Logger): OutboxPublish {
  let failing = false // the relay retries several times a second: one line per outage is enough
  return async (rows) => {
    const steps = rows.map(stepOf)
    const messages = rows.map(({ subject, msg_id: msgId, payload, headers }, i) => {
      const step = steps[i]
      return {
        subject,
        msgId,
        payload,
        headers: step ? { ...headers, ...traceHeaders(step.trace) } : headers,
      }
    })
    const results = await publishMany(broker, messages)
    for (const [i, result] of results.entries()) if (result.ok) recordPublished(rows[i], steps[i])
    const at = results.findIndex(({ ok }) => !ok)
    const failed = results[at]
    if (failed && !failed.ok && !failing) {
      logger.warn({ subject: rows[at]?.subject, reason: failed.reason }, 'outbox rows are not published')
    } else if (!failed && failing) logger.info({}, 'outbox rows are published again')
    failing = failed !== undefined
    return results.map(({ ok }) => ok)
  }
}

/**
 * Subject of the copy for followers with `immediate`, sent before a stream has stored the message. No stream stores
 * it.
 */
export const immediateSubject = (subject: string) => `at-once.${subject}`

/**
 * Like `outboxPublish`, for messages that must not wait for a stream's leader: followers with `immediate` get them at
 * once.
 */
export function immediatePublish(broker: Broker, logger: Logger): OutboxPublish {
  const store = outboxPublish(broker, logger)
  return (rows) => {
    for (const row of broker.isConnected() ? rows : [])
      natsOf(broker).publish(immediateSubject(row.subject), encode(row.payload))
    return store(rows)
  }
}

type Step = { trace: Trace; startedAt: number }

/** The span from writing the row to publishing it, below the trace that wrote it; undefined if that is not recorded. */
function stepOf({ headers, age }: OutboxRow): Step | undefined {
  const cause = isTracing() ? traceFrom(headers) : undefined
  return cause?.sampled ? { trace: childTrace(cause), startedAt: spanTime() - age * 1000 } : undefined
}

function recordPublished(row: OutboxRow | undefined, step: Step | undefined): void {
  if (!row || !step) return
  recordSpan(step.trace, {
    name: `publish ${row.subject.split('.', 2).join('.')}`, // without organization and id
    kind: 'producer',
    startedAt: step.startedAt,
    attributes: { 'messaging.system': 'nats', 'messaging.message.id': row.msg_id },
  })
}

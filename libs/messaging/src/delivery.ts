import type { Msg, NatsConnection } from 'nats'
import { fromNatsHeaders } from './headers.ts'
import { firstReception } from './replayed.ts'

/** A message as `decode` sees it. */
export type IncomingMessage = {
  readonly subject: string
  readonly data: Uint8Array
  /** When the broker stored it, in milliseconds since 1970; of a replayed one, when it first did. */
  readonly receivedAt: number
  /** 1 on the first delivery. */
  readonly deliveryCount: number
  readonly streamSeq: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** A message as it arrives, before anybody has looked into it. */
export type Arrival = IncomingMessage & {
  /** Counts what the durable has delivered, to all replicas. */
  readonly deliverySeq: number
  /** Published once more by an operator, not by whoever sent it at first. */
  readonly isReplayed: boolean
}

export type DeliveryInfo = {
  stream: string
  consumer: string
  deliveryCount: number
  streamSeq: number
  /** Counts what this consumer has delivered; a gap means that a message was lost on the way. */
  deliverySeq: number
  receivedAt: number
  /** Messages of the stream that this consumer has yet to deliver. */
  pending: number
}

/**
 * `$JS.ACK.<stream>.<consumer>.<deliveries>.<stream seq>.<delivery seq>.<nanoseconds>.<pending>`; newer servers put
 * `<domain>.<account>` before the stream and may append tokens. Undefined for anything else.
 */
export function parseDeliveryInfo(reply: string): DeliveryInfo | undefined {
  const tokens = reply.split('.')
  if (tokens[0] !== '$JS' || tokens[1] !== 'ACK' || tokens.length < 9) return undefined
  const [stream, consumer, ...numbers] = tokens.slice(tokens.length === 9 ? 2 : 4)
  const [deliveryCount, streamSeq, deliverySeq, nanoseconds, pending] = numbers.slice(0, 5).map(Number)
  if (stream === undefined || consumer === undefined || pending === undefined) return undefined
  return {
    stream,
    consumer,
    deliveryCount: deliveryCount ?? 1,
    streamSeq: streamSeq ?? 0,
    deliverySeq: deliverySeq ?? 0,
    receivedAt: Math.floor((nanoseconds ?? 0) / 1e6),
    pending,
  }
}

const encoder = new TextEncoder()
const ACK = encoder.encode('+ACK')
const WORKING = encoder.encode('+WPI')

/** One delivered message and its settlement, which is sent once: whatever comes after the first is ignored. */
export class Delivery implements Arrival {
  readonly subject: string
  readonly data: Uint8Array
  readonly info: DeliveryInfo
  settled = false
  /** Whose it is where groups share a consumer, see `FairShare`. */
  group = ''
  /** It overtook a batch that takes long, see `handleInLanes`. */
  isExpress = false
  readonly arrivedAt = Date.now()
  /** When the broker last heard that we hold it. */
  heldSince = this.arrivedAt
  readonly #msg: Msg
  readonly #nc: NatsConnection
  #headers: Readonly<Record<string, string>> | undefined

  constructor(nc: NatsConnection, msg: Msg, info: DeliveryInfo) {
    this.#nc = nc
    this.#msg = msg
    const { subject, receivedAt } = firstReception(
      { subject: msg.subject, receivedAt: info.receivedAt },
      () => this.headers,
    )
    this.info = receivedAt === info.receivedAt ? info : { ...info, receivedAt }
    this.subject = subject
    this.data = msg.data
  }

  get receivedAt(): number {
    return this.info.receivedAt
  }
  get deliveryCount(): number {
    return this.info.deliveryCount
  }
  get streamSeq(): number {
    return this.info.streamSeq
  }
  get deliverySeq(): number {
    return this.info.deliverySeq
  }
  get isReplayed(): boolean {
    return this.subject !== this.#msg.subject
  }
  get headers(): Readonly<Record<string, string>> {
    this.#headers ??= fromNatsHeaders(this.#msg.headers) // parsed on demand: most decoders never look
    return this.#headers
  }

  ack(): void {
    this.#settle(ACK)
  }
  /** 0: at once, to whichever replica asks next. */
  nak(delayMs: number): void {
    this.#settle(encoder.encode(delayMs > 0 ? `-NAK {"delay":${Math.round(delayMs * 1e6)}}` : '-NAK'))
  }
  term(reason: string): void {
    this.#settle(encoder.encode(`+TERM ${reason}`))
  }
  /** Tells the broker to wait for another `ackWaitMs`. */
  working(): void {
    if (this.settled) return
    this.heldSince = Date.now()
    this.#send(WORKING)
  }

  #settle(verdict: Uint8Array): void {
    if (this.settled) return
    this.settled = true
    this.#send(verdict)
  }

  /** A verdict that is lost with the connection costs a redelivery, which consumers are made for. */
  #send(payload: Uint8Array): void {
    if (!this.#nc.isClosed() && !this.#nc.isDraining()) this.#nc.publish(this.#msg.reply ?? '', payload)
  }
}

import type { Msg, NatsConnection } from 'nats'
import { fromNatsHeaders } from './headers.ts'
import { firstReception } from './replayed.ts'
import { withoutNumber } from '../connect/numbers.ts'

/** A message as `decode` receives it. */
export type IncomingMessage = {
  readonly subject: string
  readonly data: Uint8Array
  /** When the broker stored it, in milliseconds since 1970. For a replayed message: when the broker first stored it. */
  readonly receivedAt: number
  /** 1 on the first delivery. */
  readonly deliveryCount: number
  readonly streamSeq: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** A message on arrival, before it is decoded. */
export type Arrival = IncomingMessage & {
  /** Number of this delivery among all deliveries of the durable, to all replicas. */
  readonly deliverySeq: number
  /** An operator has published it again. */
  readonly isReplayed: boolean
}

export type DeliveryInfo = {
  stream: string
  consumer: string
  deliveryCount: number
  streamSeq: number
  /** Number of this delivery among those of the consumer. A gap means that a message was lost on the way. */
  deliverySeq: number
  receivedAt: number
  /** Messages that this consumer has not delivered yet. */
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

/** Where a message came from, see `consume/source.ts`. */
type Source = {
  readonly stream: string
  readonly isOwned: boolean
  readonly isLeaving: boolean
  readonly ackWaitMs: number
  /** Messages that its consumer has not delivered yet. */
  readonly pending: number
  hold(delivery: Delivery, change: 1 | -1): void
}

/** A delivered message. Its first verdict is sent to the broker; later ones are ignored. */
export class Delivery implements Arrival {
  readonly subject: string
  readonly data: Uint8Array
  readonly info: DeliveryInfo
  readonly source: Source
  settled = false
  /** The group of the message, see `FairShare`. Empty for consumers without groups. */
  group = ''
  /** It has overtaken a slow batch, see `handleInTracks`. */
  isExpress = false
  readonly arrivedAt = Date.now()
  /** When the broker last learned that we hold it. */
  heldSince = this.arrivedAt
  readonly #msg: Msg
  readonly #nc: NatsConnection
  #headers: Readonly<Record<string, string>> | undefined

  constructor(nc: NatsConnection, msg: Msg, info: DeliveryInfo, source: Source) {
    this.source = source
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
    return this.subject !== withoutNumber(this.#msg.subject)
  }
  get headers(): Readonly<Record<string, string>> {
    this.#headers ??= fromNatsHeaders(this.#msg.headers) // parsed on demand: most decoders do not read them
    return this.#headers
  }

  ack(): void {
    this.#settle(ACK)
  }
  /** Gives it back: to the next owner of its partition, together with all others, or at once to the replica that pulls next. */
  giveBack(): void {
    if (this.source.isOwned) this.settled = true
    else this.nak(0)
  }
  /** 0: redelivered at once, to the replica that pulls next. */
  nak(delayMs: number): void {
    this.#settle(encoder.encode(delayMs > 0 ? `-NAK {"delay":${Math.round(delayMs * 1e6)}}` : '-NAK'))
  }
  term(reason: string): void {
    this.#settle(encoder.encode(`+TERM ${reason}`))
  }
  /** Asks the broker to wait for another `ackWaitMs` before it redelivers. */
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

  /** A verdict that is lost with the connection causes a redelivery, which handlers must expect anyway. */
  #send(payload: Uint8Array): void {
    if (!this.#nc.isClosed() && !this.#nc.isDraining()) this.#nc.publish(this.#msg.reply ?? '', payload)
  }
}

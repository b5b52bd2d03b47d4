import { nanos, type Msg } from 'nats'
import { natsOf, newInbox, onReconnect, type Broker } from '../connect/connection.ts'
import { parseDeliveryInfo, type DeliveryInfo } from '../messages/delivery.ts'

export type PullOptions = {
  stream: string
  consumer: string
  /** How many messages more the owner has room for right now. */
  room: () => number
  /** No request for fewer messages than this is sent. */
  least: () => number
  /** Of a durable of which one process at a time gets all messages (`OWNER_GROUP`). */
  group?: string | undefined
  /** This process owns the durable from now on: its first message follows. */
  onOwned?: () => void
  /** For an owner: nothing has arrived for a moment. */
  onQuiet?: () => void
  onMessage: (msg: Msg, info: DeliveryInfo) => void
  /** A request ended because the consumer had no message left. */
  onIdle?: () => void
  /**
   * Nothing can be delivered for now: the consumer is missing, or the broker is silent or restarted. The pull retries
   * by itself.
   */
  onTrouble: (reason: string) => void
}

/** While a process owns a durable, it asks again before the broker takes it for gone. */
const OWNER_EXPIRES_MS = 2_000
const WRONG_PIN = 423
/** After the end of a request, which the broker announces, if it is there. */
const DRAIN_MORE_MS = 500

export type Pull = {
  /** Call it when the owner holds fewer messages. Requests more once there is enough room. */
  ask(): void
  stop(): void
  /** For a durable with an owner: whether this process is the one, as far as it knows. */
  isOwner(): boolean
  /** Asks for no more. Resolves when nothing can arrive any more. */
  drain(): Promise<void>
}

const EXPIRES_MS = 30_000
const HEARTBEAT_MS = 3_000
const RETRY_MS = 500
/** Upper bound of one request: a message may have 1 MiB, and thousands of those would be too much. */
export const MAX_BYTES = 4 * 1024 * 1024
/**
 * The server ends a request that is bounded in bytes with one of these. That is not a failure, and more messages
 * wait.
 */
const ENDED = new Set(['Batch Completed', 'Message Size Exceeds MaxBytes'])

/**
 * Pulls from a JetStream consumer into a callback. The owner says how much room it has. `consume()` of the client
 * library was rejected: with a callback it requests more when messages arrive, not when they are handled, so memory
 * has no bound. As an iterator it is bounded, but costs three promises per message.
 */
export function startPull(broker: Broker, options: PullOptions): Pull {
  const nc = natsOf(broker)
  const inbox = newInbox(broker)
  const subject = `$JS.API.CONSUMER.MSG.NEXT.${options.stream}.${options.consumer}`
  let outstanding = 0
  let lastHeard = Date.now()
  let retry: NodeJS.Timeout | undefined
  let stopped = false
  /** The broker's id of this owner. */
  let pin: string | undefined
  let drained: (() => void) | undefined
  const expiresMs = options.group === undefined ? EXPIRES_MS : OWNER_EXPIRES_MS

  const ask = () => {
    if (drained && outstanding === 0) drained()
    if (stopped || retry || drained || !broker.isConnected()) return
    const batch = Math.floor(options.room()) - outstanding
    if (batch < Math.max(1, options.least())) return
    if (outstanding === 0) lastHeard = Date.now()
    outstanding += batch
    const wait = { expires: nanos(expiresMs), idle_heartbeat: nanos(Math.min(HEARTBEAT_MS, expiresMs / 2)) }
    const owner = options.group !== undefined && {
      group: options.group,
      ...(pin !== undefined && { id: pin }),
    }
    const request = { batch, max_bytes: MAX_BYTES, ...wait, ...owner }
    nc.publish(subject, JSON.stringify(request), { reply: inbox })
  }
  const startOver = (reason: string) => {
    options.onTrouble(reason)
    outstanding = 0
    retry ??= setTimeout(() => {
      retry = undefined
      ask()
    }, RETRY_MS)
  }
  const onStatus = (msg: Msg) => {
    const code = msg.headers?.code
    if (options.group !== undefined && pin !== undefined) options.onQuiet?.()
    if (code === 100) return // heartbeat
    if (code === WRONG_PIN) pin = undefined // another one owns it
    const unsent = Number(msg.headers?.get('Nats-Pending-Messages') || Number.NaN)
    const isFull = code === 409 && ENDED.has(msg.headers?.description ?? '')
    if (!(code === 408 || isFull) || Number.isNaN(unsent))
      return startOver(`${code} ${msg.headers?.description}`)
    outstanding = Math.max(0, outstanding - unsent) // the request has ended without these messages
    if (outstanding === 0 && !isFull) options.onIdle?.()
    ask()
  }
  const subscription = nc.subscribe(inbox, {
    callback: (error, msg) => {
      if (stopped) return
      if (error) return startOver(error.message)
      lastHeard = Date.now()
      const info = parseDeliveryInfo(msg.reply ?? '')
      if (!info) return onStatus(msg)
      outstanding = Math.max(0, outstanding - 1)
      if (options.group !== undefined && pin === undefined) {
        pin = msg.headers?.get('Nats-Pin-Id')
        options.onOwned?.()
      }
      options.onMessage(msg, info)
      ask()
    },
  })
  // If the consumer does not exist, no answer comes at all. Only the missing heartbeats show that.
  const watch = setInterval(() => {
    const silentMs = Date.now() - lastHeard
    if (outstanding === 0 || !broker.isConnected() || silentMs < 2 * HEARTBEAT_MS + 1_000) return
    lastHeard = Date.now()
    startOver('the broker does not answer')
  }, HEARTBEAT_MS)
  const stopListening = onReconnect(broker, () => startOver('reconnected'))
  ask()
  return {
    ask,
    stop() {
      stopped = true
      stopListening()
      clearInterval(watch)
      clearTimeout(retry)
      if (!nc.isClosed()) subscription.unsubscribe()
    },
    isOwner: () => pin !== undefined,
    drain() {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, expiresMs + DRAIN_MORE_MS)
      drained = resolve
      ask()
      return promise.finally(() => clearTimeout(timer))
    },
  }
}

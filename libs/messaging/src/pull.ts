import { nanos, type Msg } from 'nats'
import { natsOf, newInbox, onReconnect, type Broker } from './connection.ts'
import { parseDeliveryInfo, type DeliveryInfo } from './delivery.ts'

export type PullOptions = {
  stream: string
  consumer: string
  /** Most messages that are asked for or held at a time. */
  capacity: number
  /** How many the owner holds right now. */
  held: () => number
  /** And how large they are together; left out by owners who keep none. */
  heldBytes?: () => number
  /** No more is asked for while the owner holds so many bytes. 4 MiB when left out. */
  capacityBytes?: number | undefined
  onMessage: (msg: Msg, info: DeliveryInfo) => void
  /** A request ended with nothing to deliver: at that moment the consumer had no message left. */
  onIdle?: () => void
  /** Nothing can come through for now: the consumer is gone, the broker silent or restarted. Asked again by itself. */
  onTrouble: (reason: string) => void
}

export type Pull = {
  /** To be called when the owner holds fewer: asks for more once half of the capacity is free. */
  ask(): void
  stop(): void
}

const EXPIRES_MS = 30_000
const HEARTBEAT_MS = 3_000
const RETRY_MS = 500
/** Asked for at a time: messages may be 1 MiB, and thousands of those are not. */
const MAX_BYTES = 4 * 1024 * 1024
/** How the server says that a request bounded in bytes is over, with more to come: no trouble, and not idle. */
const ENDED = new Set(['Batch Completed', 'Message Size Exceeds MaxBytes'])

/**
 * Pulls from a JetStream consumer into a callback. Not `consume()` of the client library: with a callback that asks
 * for more as messages arrive, not as they are worked off, so nothing bounds the memory; as an iterator it is bounded
 * but costs three promises a message. Here the owner says how much room there is.
 */
export function startPull(broker: Broker, options: PullOptions): Pull {
  const nc = natsOf(broker)
  const inbox = newInbox(broker)
  const subject = `$JS.API.CONSUMER.MSG.NEXT.${options.stream}.${options.consumer}`
  let outstanding = 0
  let lastHeard = Date.now()
  let retry: NodeJS.Timeout | undefined
  let stopped = false

  const ask = () => {
    if (stopped || retry || !broker.isConnected()) return
    const batch = options.capacity - options.held() - outstanding
    if (batch < Math.max(1, options.capacity / 2)) return // a request per message would cost more than the message
    if ((options.heldBytes?.() ?? 0) >= (options.capacityBytes ?? MAX_BYTES)) return
    if (outstanding === 0) lastHeard = Date.now()
    outstanding += batch
    const wait = { expires: nanos(EXPIRES_MS), idle_heartbeat: nanos(HEARTBEAT_MS) }
    const request = { batch, max_bytes: MAX_BYTES, ...wait }
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
    if (code === 100) return // heartbeat
    const unsent = Number(msg.headers?.get('Nats-Pending-Messages') || Number.NaN)
    const isFull = code === 409 && ENDED.has(msg.headers?.description ?? '')
    if (!(code === 408 || isFull) || Number.isNaN(unsent))
      return startOver(`${code} ${msg.headers?.description}`)
    outstanding = Math.max(0, outstanding - unsent) // the request is over, its rest will not come
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
      options.onMessage(msg, info)
      ask()
    },
  })
  // A consumer that does not exist answers nothing at all: only the missing heartbeats tell.
  const watch = setInterval(() => {
    const silentMs = Date.now() - lastHeard
    if (outstanding === 0 || !broker.isConnected() || silentMs < 2 * HEARTBEAT_MS + 1_000) return
    lastHeard = Date.now()
    startOver('the broker does not answer')
  }, HEARTBEAT_MS)
  const forget = onReconnect(broker, () => startOver('reconnected'))
  ask()
  return {
    ask,
    stop() {
      stopped = true
      forget()
      clearInterval(watch)
      clearTimeout(retry)
      if (!nc.isClosed()) subscription.unsubscribe()
    },
  }
}

import { natsOf, type Broker } from '../connect/connection.ts'
import { streamOf } from '../connect/numbers.ts'
import { durables, OWNED, type DurableName } from '../connect/topology.ts'
import { Delivery } from '../messages/delivery.ts'
import { startPull, type Pull } from './pull.ts'

/** A partition of several, or undefined for the one stream that all replicas share. */
export type Partition = number | undefined

type Options = {
  durable: DurableName
  partition: Partition
  /** How many messages more there is room for. */
  room: (source: Source) => number
  /** A request for fewer is not worth it. */
  least: () => number
  onTrouble: (reason: string) => void
  /** Called in the order of the stream for what a dead owner held. */
  onArrival: (delivery: Delivery) => void
}

/** How long the next owner has to wait at most if the broker does not answer. */
const ANSWER_MS = 2_000

/** One of the streams from which a consumer of this process pulls. */
export class Source {
  readonly partition: Partition
  readonly stream: string
  readonly ackWaitMs: number
  /** Nothing more of it is handled. */
  isLeaving = false
  /** Its messages that wait in this process, and their bytes. */
  held = 0
  heldBytes = 0
  /** Messages that its consumer had not delivered yet when the last one arrived. */
  pending = 0
  readonly #broker: Broker
  readonly #options: Options
  readonly #pull: Pull
  #inherited: Delivery[] | undefined

  constructor(broker: Broker, options: Options) {
    const { durable, partition, room, least, onTrouble } = options
    this.#broker = broker
    this.#options = options
    this.partition = partition
    this.stream = streamOf(durables[durable].stream, partition ?? 0)
    this.ackWaitMs = this.isOwned ? OWNED.ackWaitMs : durables[durable].ackWaitMs
    const nc = natsOf(broker)
    this.#pull = startPull(broker, {
      stream: this.stream,
      consumer: durable,
      room: () => room(this),
      least,
      group: this.isOwned ? OWNED.group : undefined,
      onOwned: () => (this.#inherited ??= []),
      onQuiet: () => this.#sortInherited(),
      onTrouble,
      onMessage: (msg, info) => {
        if (this.isLeaving) return // the next owner gets it again
        this.pending = info.pending
        const delivery = new Delivery(nc, msg, info, this)
        this.hold(delivery, 1)
        if (this.#inherited && delivery.deliveryCount > 1) this.#inherited.push(delivery)
        else {
          this.#sortInherited()
          options.onArrival(delivery)
        }
      },
    })
  }

  /** Whether its messages go to one replica at a time. They are then given back all together, never one by one. */
  get isOwned(): boolean {
    return this.partition !== undefined
  }

  /** What a dead owner held comes first, and in any order. Its messages are handled once all are here. */
  get inherited(): readonly Delivery[] {
    return this.#inherited ?? []
  }

  #sortInherited(): void {
    const inherited = this.inherited.toSorted((a, b) => a.streamSeq - b.streamSeq)
    this.#inherited = undefined
    for (const delivery of inherited) this.#options.onArrival(delivery)
  }

  /** Counts a message that waits in this process, 1, or does so no longer, -1. */
  hold({ data }: Delivery, change: 1 | -1): void {
    this.held += change
    this.heldBytes += change * data.length
  }

  /** Pulls if there is room. Call it when there is more. */
  ask(): void {
    this.#pull.ask()
  }

  /** Resolves when nothing can arrive any more. */
  async drain(): Promise<void> {
    if (this.isOwned) await this.#pull.drain()
    this.#pull.stop()
  }

  /**
   * The next owner gets what is not acknowledged, and then what comes after it, in the order of the stream. Rejects if the broker
   * does not answer: then the next owner waits until the messages and the pin have expired.
   */
  async handOver(): Promise<void> {
    // One that was never the owner must not take the messages from the one that is.
    if (!this.isOwned || !this.#pull.isOwner() || !this.#broker.isConnected()) return
    await this.#request('RESET', {})
    await this.#request('UNPIN', { group: OWNED.group })
  }

  async #request(what: 'RESET' | 'UNPIN', body: object): Promise<void> {
    const subject = `$JS.API.CONSUMER.${what}.${this.stream}.${this.#options.durable}`
    await natsOf(this.#broker).request(subject, JSON.stringify(body), { timeout: ANSWER_MS })
  }
}

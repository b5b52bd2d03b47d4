import { startBackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import type { Broker } from '../connect/connection.ts'
import type { Logger } from '../connect/logger.ts'
import { areOlderScansRead, countPartitions, type DurableName } from '../connect/topology.ts'
import type { Partition } from '../consume/source.ts'
import { Members } from './members.ts'
import { sharesOf } from './shares.ts'

const EVERY_MS = 1_000
/** How often the broker is asked whether there are more partitions. */
const COUNT_EVERY_MS = 15_000
/** A new replica first hears who is there. They answer at once. */
const LISTEN_MS = 1_000

type Stoppable = { stop(): Promise<unknown> }
/** Takes and leaves partitions while it runs. */
type Consumer = Stoppable & {
  add(partition: Partition, stopping: AbortSignal): Stoppable | Promise<Stoppable>
}

type Options = {
  /** The durable whose messages must be settled in the parent of a partition before the partition is read. */
  durable: DurableName
  /** Each partition is added to them in this order. They leave it together, the last one first. */
  consumers: readonly Consumer[]
  log: Logger
  registry?: Registry | undefined
}

/**
 * Consumes the partitions that fall to this replica, while it is there. Each replica decides for itself; if two disagree, the broker
 * gives the messages to one of them. With one partition all replicas share its stream.
 */
export class OwnedPartitions {
  readonly #members: Members
  readonly #broker: Broker
  readonly #options: Options
  readonly #running = new Map<Partition, { stopping: AbortController; parts: Promise<Stoppable[]> }>()
  /** Parts that are being stopped. A partition is started again after that. */
  readonly #ending = new Map<Partition, Promise<void>>()
  readonly #job
  readonly #startedAt = Date.now()
  #count: { is: number; at: number } | undefined

  constructor(broker: Broker, options: Options) {
    this.#broker = broker
    this.#options = options
    const { log, registry } = options
    this.#members = new Members(broker, { group: options.durable, onChange: () => this.#job.wake() })
    const job = { name: 'partitions', everyMs: EVERY_MS, log, registry }
    this.#job = startBackgroundJob(job, () => this.#turn())
  }

  /** The partitions that this replica consumes; undefined is the one that all share. */
  get partitions(): Partition[] {
    return [...this.#running.keys()]
  }

  async stop(): Promise<void> {
    await this.#job.stop()
    for (const partition of this.#running.keys()) this.#end(partition)
    await Promise.all(this.#ending.values())
    this.#members.leave()
    await Promise.all(this.#options.consumers.map((consumer) => consumer.stop()))
  }

  async #turn(): Promise<{ nextInMs: number } | void> {
    const now = Date.now()
    if (!this.#count || now - this.#count.at > COUNT_EVERY_MS)
      this.#count = { is: await countPartitions(this.#broker), at: now }
    if (this.#count.is > 1 && now - this.#startedAt < LISTEN_MS) return { nextInMs: LISTEN_MS / 4 }
    const wanted = this.#share(this.#count.is)
    for (const partition of this.#running.keys()) if (!wanted.has(partition)) this.#end(partition)
    for (const partition of wanted)
      if (
        !this.#running.has(partition) &&
        !this.#ending.has(partition) &&
        (await this.#isReadable(partition))
      )
        this.#begin(partition)
  }

  #share(count: number): Set<Partition> {
    if (count === 1) return new Set([undefined])
    const owners = sharesOf(count, this.#members.names)
    return new Set(owners.flatMap((owner, partition) => (owner === this.#members.self ? [partition] : [])))
  }

  async #isReadable(partition: Partition): Promise<boolean> {
    return partition === undefined || areOlderScansRead(this.#broker, this.#options.durable, partition)
  }

  #begin(partition: Partition): void {
    const { log } = this.#options
    const stopping = new AbortController()
    const parts = this.#add(partition, stopping.signal)
    parts.catch((err: unknown) => {
      log.error({ err, partition }, 'partition could not be started; will retry')
      this.#running.delete(partition)
    })
    this.#running.set(partition, { stopping, parts })
    if (partition !== undefined) log.info({ partition }, 'this replica takes a partition')
  }

  async #add(partition: Partition, stopping: AbortSignal): Promise<Stoppable[]> {
    const parts: Stoppable[] = []
    for (const consumer of this.#options.consumers) {
      if (stopping.aborted) break
      parts.push(await consumer.add(partition, stopping))
    }
    return parts
  }

  #end(partition: Partition): void {
    const running = this.#running.get(partition)
    if (!running) return
    this.#running.delete(partition)
    running.stopping.abort()
    const ended = (async () => {
      const parts = await running.parts.catch(() => [])
      await Promise.allSettled(parts.toReversed().map((part) => part.stop()))
      this.#ending.delete(partition)
      if (partition !== undefined) this.#options.log.info({ partition }, 'this replica has left a partition')
      this.#job.wake()
    })()
    this.#ending.set(partition, ended)
  }
}

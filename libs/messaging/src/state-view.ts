import type { Broker } from './connection.ts'
import { followStream, type Follower } from './follow.ts'
import type { Logger } from './logger.ts'
import { streams, type StreamName } from './topology.ts'
import { askOwner, type StateMetrics } from './unreadable-states.ts'

type Revised = { revision: number }

/** The states of one kind, as the view keeps them. */
type Kind<S> = {
  /** Throws for a state that cannot be read. The view does not keep undefined. */
  read: (payload: unknown) => S | undefined
  /** Undefined: the newest state cannot be read. Not called when the stream is recreated. */
  onChange?(id: string, state: S | undefined, before: S | undefined): void
}

type Options<States> = {
  stream: StreamName
  /** By the second part of their subjects: `key` for `keys.key.<id>`. All others are ignored. */
  kinds: { [K in keyof States]: Kind<States[K]> }
  /** Subject of the request that makes the owner publish a state again. */
  owner: string
  /** The stream was recreated, and all states are dropped. */
  onReset?: () => void
}

/** For a state that was asked for. */
const ARRIVAL_MS = 2_000

/**
 * The states of a compacted stream, in memory, also from before the stream has stored them. The newest revision wins. If
 * it cannot be read, the state is unknown (ADR 46).
 */
export class StateView<States extends Record<string, Revised>> {
  readonly #options: Options<States>
  /** By subject. Null: the owner has no such state. */
  readonly #states = new Map<string, Revised | null>()
  readonly #asked = new Map<string, PromiseWithResolvers<boolean>>()
  readonly #prefix: string
  #following: { broker: Broker; follower: Follower; logger: Logger } | undefined

  constructor(options: Options<States>) {
    this.#options = options
    this.#prefix = streams[options.stream].subjects[0].slice(0, -1)
  }

  /** Call it once. Returns at once and retries for ever. */
  follow(broker: Broker, logger: Logger, metrics?: StateMetrics): Follower {
    const { stream, kinds, owner } = this.#options
    const [kind, ...others] = Object.keys(kinds)
    const follower = followStream(broker, {
      stream,
      filter: `${this.#prefix}${others.length === 0 ? `${kind}.` : ''}>`,
      immediate: true,
      onState: (subject, payload) => this.apply(subject, payload),
      onReset: () => this.clear(),
      onUnreadable: (subject) => this.#forget(subject),
      owner,
      stateMetrics: metrics,
      logger,
    })
    this.#following = { broker, follower, logger }
    return follower
  }

  /** Whether the view holds all that the stream holds: false while the broker is away. */
  isCurrent(): boolean {
    const { broker, follower } = this.#following ?? {}
    return broker?.isConnected() === true && follower?.isCaughtUp() === true
  }

  /** Undefined: unknown, `ask` may find out. Null: the owner has no such state. */
  get<K extends keyof States & string>(kind: K, id: string | number): States[K] | null | undefined {
    return this.#states.get(this.#subject(kind, id)) as States[K] | null | undefined
  }

  /**
   * Makes the owner publish a state that is unknown, once for concurrent callers. True: `get` knows it. False: nothing
   * came within two seconds. Never rejects.
   */
  async ask(kind: keyof States & string, id: string | number): Promise<boolean> {
    const subject = this.#subject(kind, id)
    if (this.#states.has(subject)) return true
    const running = this.#asked.get(subject)
    if (running) return running.promise
    const asked = Promise.withResolvers<boolean>()
    this.#asked.set(subject, asked)
    const timer = setTimeout(() => asked.resolve(false), ARRIVAL_MS)
    void this.#askOwner(subject, asked.resolve)
    return asked.promise.finally(() => {
      clearTimeout(timer)
      this.#asked.delete(subject)
    })
  }

  async #askOwner(subject: string, resolve: (isKnown: boolean) => void): Promise<void> {
    const { owner } = this.#options
    const published = this.#following && (await askOwner({ ...this.#following, owner }, subject))
    if (published) return // `apply` resolves
    if (published === false && !this.#states.has(subject)) this.#states.set(subject, null)
    resolve(published === false)
  }

  /** Takes a state, which may come twice and late. Throws if it cannot be read. */
  apply(subject: string, payload: unknown): void {
    const kind = this.#kindOf(subject)
    const state = kind?.read(payload)
    if (!state) return
    const known = this.#states.get(subject) ?? undefined
    if (!known || known.revision < state.revision) {
      this.#states.set(subject, state)
      kind?.onChange?.(idOf(subject), state, known)
    }
    this.#asked.get(subject)?.resolve(true)
  }

  clear(): void {
    this.#states.clear()
    this.#options.onReset?.()
  }

  #forget(subject: string): void {
    const known = this.#states.get(subject) ?? undefined
    this.#states.delete(subject)
    if (known) this.#kindOf(subject)?.onChange?.(idOf(subject), undefined, known)
  }

  #kindOf(subject: string): Kind<Revised> | undefined {
    const kinds: Partial<Record<string, Kind<Revised>>> = this.#options.kinds
    return kinds[subject.split('.', 2)[1] ?? '']
  }

  #subject(kind: string, id: string | number): string {
    return `${this.#prefix}${kind}.${id}`
  }
}

const idOf = (subject: string) => subject.split('.').slice(2).join('.')

import { republishKeysState } from '@whereabouts/contracts/messages/republish-state'
import type { Broker } from '../connect/connection.ts'
import { followStream, type Follower } from './follow.ts'
import type { Logger } from '../connect/logger.ts'
import { askOwner, type StateMetrics } from './unreadable-states.ts'

type Revised = { revision: number }

/** The states of one kind, as the view keeps them. */
type Kind<S> = {
  /** Throws for a state that cannot be read. The view does not keep undefined. */
  read: (payload: unknown) => S | undefined
  /** Undefined: the newest state cannot be read. Not called when the stream is recreated. */
  onChange?(id: string, state: S | undefined, before: S | undefined): void
}

/** By the second part of their subjects: `key` for `keys.key.<id>`. */
type Kinds<States> = { [K in keyof States]: Kind<States[K]> }

const owner = republishKeysState.subject

/** For a state that was asked for. */
const ARRIVAL_MS = 2_000

/**
 * States of the stream KEYS, in memory, also from before the stream has stored them. The newest revision wins. If it
 * cannot be read, the state is unknown (ADR 46).
 */
export class StateView<States extends Record<string, Revised>> {
  readonly #kinds: Kinds<States>
  readonly #onReset: () => void
  /** By subject. Null: keys has no such state. */
  readonly #states = new Map<string, Revised | null>()
  readonly #asked = new Map<string, PromiseWithResolvers<boolean>>()
  #following: { broker: Broker; follower: Follower; logger: Logger } | undefined

  /** States of other kinds are ignored. `onReset`: the stream was recreated, and all states are dropped. */
  constructor(kinds: Kinds<States>, onReset: () => void = () => undefined) {
    this.#kinds = kinds
    this.#onReset = onReset
  }

  /** Call it once. Returns at once and retries for ever. */
  follow(broker: Broker, logger: Logger, metrics?: StateMetrics): Follower {
    const [kind, ...others] = Object.keys(this.#kinds)
    const follower = followStream(broker, {
      stream: 'KEYS',
      filter: others.length > 0 ? 'keys.>' : `keys.${kind}.>`,
      immediate: true,
      onState: (subject, payload) => this.apply(subject, payload),
      onReset: () => this.clear(),
      onUnreadable: (subject) => this.#drop(subject),
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

  /** Undefined: unknown, `ask` may find out. Null: there is none. */
  get<K extends keyof States & string>(kind: K, id: string | number): States[K] | null | undefined {
    return this.#states.get(subjectOf(kind, id)) as States[K] | null | undefined
  }

  /**
   * Makes keys publish a state that is unknown, once for concurrent callers. True: `get` knows it. False: nothing
   * came within two seconds. Never rejects.
   */
  async ask(kind: keyof States & string, id: string | number): Promise<boolean> {
    const subject = subjectOf(kind, id)
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
    this.#onReset()
  }

  #drop(subject: string): void {
    const known = this.#states.get(subject) ?? undefined
    this.#states.delete(subject)
    if (known) this.#kindOf(subject)?.onChange?.(idOf(subject), undefined, known)
  }

  #kindOf(subject: string): Kind<Revised> | undefined {
    const kinds: Partial<Record<string, Kind<Revised>>> = this.#kinds
    return kinds[subject.split('.', 2)[1] ?? '']
  }
}

const subjectOf = (kind: string, id: string | number) => `keys.${kind}.${id}`
const idOf = (subject: string) => subject.split('.').slice(2).join('.')

import type { Logger } from '@whereabouts/service-kit/observe/logging'

type Options<T, R> = {
  /** The kind of the entries, for the log: `reader health`. */
  what: string
  log: Logger
  flushMs: number
  maxEntries: number
  maxPerGroup: number
  nameOf: (entry: T) => string
  groupOf: (entry: T) => string | number
  /** Adds to `newer` an older entry of the same name whose write failed. */
  merge: (newer: T, older: T) => void
  /** Must change nothing if it fails, because its entries are written again. */
  write: (entries: readonly T[]) => Promise<R>
  /** Runs after `write`. If it fails, the next flush does its work. */
  cleanUp: (result: R, entries: readonly T[]) => Promise<void>
}

/**
 * Collects entries in memory, one for each name, and writes them at an interval. A crash loses the entries of one
 * interval.
 */
export class WriteBehind<T, R> {
  readonly #options: Options<T, R>
  #pending = new Map<string, T>()
  #groupSizes = new Map<string | number, number>()
  #timer: NodeJS.Timeout | undefined
  #flushed: Promise<void> = Promise.resolve()

  constructor(options: Options<T, R>) {
    this.#options = options
  }

  get(name: string): T | undefined {
    return this.#pending.get(name)
  }

  /**
   * Undefined if its group is full, or has more than is free, so that there is always room for the others. Expects a name
   * that is not pending.
   */
  add(entry: T): T | undefined {
    const { nameOf, groupOf, maxEntries, maxPerGroup } = this.#options
    const group = groupOf(entry)
    const size = this.#groupSizes.get(group) ?? 0
    if (size >= Math.min(maxPerGroup, maxEntries - this.#pending.size)) return undefined
    this.#groupSizes.set(group, size + 1)
    this.#pending.set(nameOf(entry), entry)
    return entry
  }

  start(): void {
    this.#timer = setInterval(() => void this.flush(), this.#options.flushMs)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }

  /** Writes the pending entries after the current write. Logs a failure and keeps the entries for the next flush. */
  flush(): Promise<void> {
    this.#flushed = this.#flushed.then(() => this.#write())
    return this.#flushed
  }

  async #write(): Promise<void> {
    const { what, log, write, cleanUp } = this.#options
    if (this.#pending.size === 0) return
    const entries = [...this.#pending.values()]
    this.#pending = new Map()
    this.#groupSizes = new Map()
    try {
      const result = await write(entries).catch((error: unknown) => {
        for (const entry of entries) this.#putBack(entry)
        throw error
      })
      await cleanUp(result, entries)
    } catch (error) {
      log.warn({ err: error }, `${what} could not be written; will retry`)
    }
  }

  #putBack(entry: T): void {
    const newer = this.#pending.get(this.#options.nameOf(entry))
    if (newer) this.#options.merge(newer, entry)
    else this.add(entry)
  }
}

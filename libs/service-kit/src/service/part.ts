/** One step of a shutdown. The usual order: readiness, intake, in-flight work, broker, database. */
export type Phase = {
  name: string
  run: () => unknown
  /** Added to the grace period that each phase has. */
  extraMs?: number
  /** A phase that is not up in its turn is left out. */
  isUp?: boolean
}

/** What a service starts and stops. It is a phase of the shutdown once it is up. */
export type Part<T = unknown> = Phase & {
  readonly needs: Part | undefined
  readonly isUp: boolean
  /** What `start` returned; undefined until then. */
  readonly value: T | undefined
  /** The same for what cannot run before. Throws until then. */
  readonly up: T
  /** Starts this part and what it needs, each once, and none after `stopping`. */
  start(stopping: AbortSignal): Promise<void>
}

type Options<T, N> = {
  /** Starts first, and must stop later. All other parts start meanwhile. */
  needs?: Part<N> | undefined
  /** Gets the value of what it needs. A long start heeds `stopping`. */
  start: (needed: N, stopping: AbortSignal) => T | Promise<T>
  stop: (value: T) => unknown
  /** Added to the grace period of its stop. */
  extraMs?: number
}

/** Names something to start and stop. A part that was never up is not stopped. */
export function part<T, N = unknown>(
  name: string,
  { needs, start, stop, extraMs = 0 }: Options<T, N>,
): Part<T> {
  let started: Promise<void> | undefined
  let up: { value: T } | undefined
  const begin = async (stopping: AbortSignal) => {
    await needs?.start(stopping)
    if (!stopping.aborted) up = { value: await start(needs?.value as N, stopping) }
  }
  return {
    name,
    needs,
    extraMs,
    get isUp() {
      return up !== undefined
    },
    get value() {
      return up?.value
    },
    get up() {
      if (!up) throw new Error(`${name} is not up yet`)
      return up.value
    },
    start: (stopping) => (started ??= begin(stopping)),
    run: () => up && stop(up.value),
  }
}

/** Parts of one phase, which stop together. */
export const stopAll = (all: readonly { stop(): unknown }[]): Promise<unknown> =>
  Promise.all(all.map((one) => one.stop()))

/** The same for connections. */
export const closeAll = (all: readonly { close(): unknown }[]): Promise<unknown> =>
  Promise.all(all.map((one) => one.close()))

/** Starts the parts in the reverse of the order in which they stop. One that needs another waits for it alone. */
export async function startParts(parts: readonly Part[], stopping: AbortSignal): Promise<void> {
  await Promise.all(parts.toReversed().map((one) => one.start(stopping)))
}

/** Throws if a part would stop before one that needs it, or not at all. */
export function checkOrder(parts: readonly Part[]): readonly Part[] {
  for (const [place, { name, needs }] of parts.entries())
    if (needs && parts.indexOf(needs) <= place)
      throw new Error(`${name} needs ${needs.name}, which must stop after it`)
  return parts
}

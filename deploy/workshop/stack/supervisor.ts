import { setTimeout as delay } from 'node:timers/promises'
import { errorText } from '../../error-text.ts'

/** A process that is started again when it ends. */
export type Part = {
  name: string
  /** Resolves when the current process ends, with the reason: `exit code 1`, `SIGKILL`. */
  ended(): Promise<string>
  /** Starts it again on the same ports. Throws when it does not start. */
  start(): Promise<void>
  /** The end of its log. */
  logs(): string
}

export type PartState = { name: string; restarts: number; lastEnd?: string; isGivenUp: boolean }

export type Supervisor = {
  states(): PartState[]
  /** Starts nothing from now on. Resolves when no start is under way. */
  stop(): Promise<void>
}

type Options = {
  say: (line: string) => void
  /** Default: 1 s, doubled up to 30 s, and 1 s again after a minute without an end. */
  pauses?: { firstMs: number; longestMs: number; healthyAfterMs: number }
}

const PAUSES = { firstMs: 1_000, longestMs: 30_000, healthyAfterMs: 60_000 }

/** What a service exits with when a setting is wrong: the next start would fail in the same way. */
const WRONG_SETTING = 'exit code 78'

/** Starts the parts again when they end, with growing pauses, and reports each end in a line. */
export function supervise(parts: readonly Part[], options: Options): Supervisor {
  const stopping = new AbortController()
  const watched = parts.map((part) => {
    const state: PartState = { name: part.name, restarts: 0, isGivenUp: false }
    return { state, end: watch(part, state, options, stopping.signal) }
  })
  return {
    states: () => watched.map(({ state }) => state),
    async stop() {
      stopping.abort()
      await Promise.all(watched.map(({ end }) => end))
    },
  }
}

async function watch(part: Part, state: PartState, options: Options, signal: AbortSignal): Promise<void> {
  const { say, pauses = PAUSES } = options
  let pauseMs = pauses.firstMs
  let startedAt = performance.now()
  let failure: string | undefined // of the last start
  while (!signal.aborted) {
    const how = failure ?? (await endedOrStopping(part, signal))
    if (how === undefined) return
    state.lastEnd = how
    if (how === WRONG_SETTING) return giveUp(part, state, options)
    if (performance.now() - startedAt > pauses.healthyAfterMs) pauseMs = pauses.firstMs
    say(`${part.name} ended (${how}). It starts again in ${pauseMs / 1000} s.`)
    if (!(await pause(pauseMs, signal))) return
    pauseMs = Math.min(pauseMs * 2, pauses.longestMs)
    startedAt = performance.now()
    state.restarts += 1
    failure = await tryStart(part)
  }
}

function giveUp(part: Part, state: PartState, { say }: Options): void {
  state.isGivenUp = true
  say(
    `${part.name} ended (${WRONG_SETTING}): a setting is wrong, so it is not started again. Correct it, then restart.\n${part.logs()}`,
  )
}

/** Undefined when the supervisor stops first. */
function endedOrStopping(part: Part, signal: AbortSignal): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  signal.addEventListener('abort', () => resolve(undefined), { once: true })
  return Promise.race([part.ended(), promise])
}

/** False when the supervisor stops during the pause. */
function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  return delay(ms, true, { signal }).catch(() => false)
}

/** The error of a failed start on one line. */
async function tryStart(part: Part): Promise<string | undefined> {
  try {
    await part.start()
    return undefined
  } catch (error) {
    return `start failed: ${errorText(error).replaceAll('\n', ' ')}`
  }
}

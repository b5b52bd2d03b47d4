import { setImmediate as nextTurn } from 'node:timers/promises'
import { PoisonError } from '@whereabouts/messaging/consume/settle'
import { decodeReaderMessage, type ReaderMessage } from '../../ingest/reads/reader-message.ts'
import { resolve, type ResolveDeps } from '../../ingest/places/resolve.ts'
import type { Observation } from '../../positions/observation.ts'
import type { PlacementRules } from '../../positions/rules.ts'
import { Simulation } from '../../positions/simulation.ts'
import type { CatalogView } from '../../catalog/catalog-view.ts'
import type { ReaderDirectory } from '../../readers/reader-directory.ts'
import type { Received } from '../../readers/health/problem-message.ts'

export type PreviewDeps = {
  view: CatalogView
  directory: ReaderDirectory
  /** Messages of readers of an organization that are still kept and came at `since` or later, in their order. */
  readBack: (orgId: number, since: Date) => AsyncIterable<readonly Received[]>
  retentionMs: number
}

export type Preview = {
  /** When the oldest message came; null without one. */
  fromMs: number | null
  /** Movements under the rules of now, and under the others. */
  before: number
  after: number
  /** The same of each asset, where they differ. */
  byAsset: { assetId: number; before: number; after: number }[]
}

/** Other requests and ingest wait no longer than this for the preview, or for one of its messages. */
const TURN_MS = 5

/**
 * Counts the movements of the messages since an instant under two rules. Stores nothing. Uses tags, scan points and names
 * as this process knows them. Stops with an error when `signal` aborts. Rejects if the broker does not answer.
 */
export async function preview(
  deps: PreviewDeps,
  {
    orgId,
    since,
    rules,
  }: { orgId: number; since: Date; rules: { before: PlacementRules; after: PlacementRules } },
  signal: AbortSignal,
): Promise<Preview> {
  const isDeleted = (id: number) => deps.view.location(orgId, id)?.deleted === true
  const sides = {
    before: new Counted(new Simulation(rules.before, isDeleted)),
    after: new Counted(new Simulation(rules.after, isDeleted)),
  }
  let fromMs: number | null = null
  let turnEndsAt = performance.now() + TURN_MS
  for await (const received of deps.readBack(orgId, since))
    for (const one of received) {
      signal.throwIfAborted()
      fromMs ??= one.receivedAt
      const message = decode(one, deps)
      for (const side of ['before', 'after'] as const)
        if (message)
          sides[side].take(await observationsOf(message, rules[side], deps, signal), one.receivedAt)
      if (performance.now() < turnEndsAt) continue
      await nextTurn()
      turnEndsAt = performance.now() + TURN_MS
    }
  const [before, after] = [sides.before.end(), sides.after.end()]
  const byAsset = [...new Set([...before.keys(), ...after.keys()])].flatMap((assetId) => {
    const counts = { before: before.get(assetId) ?? 0, after: after.get(assetId) ?? 0 }
    return counts.before === counts.after ? [] : [{ assetId, ...counts }]
  })
  return { fromMs, before: sumOf(before), after: sumOf(after), byAsset }
}

/** A simulation with the number of movements of each asset. */
class Counted {
  readonly #simulation: Simulation
  readonly #movements = new Map<number, number>()

  constructor(simulation: Simulation) {
    this.#simulation = simulation
  }

  take(reads: readonly Observation[], receivedAtMs: number): void {
    this.#count(this.#simulation.take(reads, receivedAtMs))
  }

  /** With what is carried after the last message. */
  end(): ReadonlyMap<number, number> {
    this.#count(this.#simulation.end())
    return this.#movements
  }

  #count(movements: readonly { to: Observation }[]): void {
    for (const { to } of movements)
      if (!to.isLate) this.#movements.set(to.assetId, (this.#movements.get(to.assetId) ?? 0) + 1)
  }
}

const sumOf = (counts: ReadonlyMap<number, number>) => [...counts.values()].reduce((sum, n) => sum + n, 0)

function decode(received: Received, { directory }: PreviewDeps): ReaderMessage | undefined {
  try {
    return decodeReaderMessage(received, {
      directory,
      health: { note: () => undefined },
      metrics: { unusable: () => undefined },
    })
  } catch (error) {
    if (error instanceof PoisonError) return undefined
    throw error
  }
}

/** As ingest finds them, but all of them, and without asking catalog for tags that nothing has. */
async function observationsOf(
  message: ReaderMessage,
  rules: PlacementRules,
  { view, directory, retentionMs }: PreviewDeps,
  signal: AbortSignal,
): Promise<Observation[]> {
  const deps: ResolveDeps = {
    view,
    directory,
    retentionMs,
    retentions: { isExpired: () => false },
    rulesOf: () => rules,
    resolver: { resolve: () => Promise.resolve() },
    recent: { isStored: () => false },
    health: { flush: () => Promise.resolve() },
    findRightTimes: () => Promise.resolve([]),
  }
  return (await resolve([message], deps, signal)).observations
}

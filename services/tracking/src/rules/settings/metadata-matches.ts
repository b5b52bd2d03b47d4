import type { TypedAsset } from '@whereabouts/contracts/messages/catalog-state'
import type { RuleScope } from '@whereabouts/contracts/resources/rules/rules'

export type Condition = RuleScope['metadata']

/** Reads the states of all assets of an organization, and then each change. */
export type FollowAssets = (
  orgId: number,
  listener: { onState: (state: TypedAsset) => void; onReset: () => void },
) => { caughtUp: Promise<void>; stop: () => unknown }

/** The same for each spelling of a condition. */
const nameOf = (condition: Condition): string =>
  JSON.stringify(
    Object.entries(condition)
      .map(([name, value]) => [name, String(value)])
      .toSorted(([one = ''], [other = '']) => (one < other ? -1 : 1)),
  )

/** As filters of lists compare (D12.13): a text, or the number or boolean that is written like it. */
const hasAll = (metadata: Readonly<Record<string, unknown>>, condition: Condition): boolean =>
  Object.entries(condition).every(([name, wanted]) => {
    const value = Object.hasOwn(metadata, name) ? metadata[name] : undefined
    return ['string', 'number', 'boolean'].includes(typeof value) && String(value) === String(wanted)
  })

/** The assets that fit conditions, of one reading of their states. */
class Reading {
  readonly conditions: ReadonlyMap<string, Condition>
  readonly fitting = new Map<string, Set<number>>()
  readonly #revisions = new Map<number, number>()
  readonly #follower: ReturnType<FollowAssets>
  isDone = false

  constructor(conditions: ReadonlyMap<string, Condition>, orgId: number, follow: FollowAssets) {
    this.conditions = conditions
    this.#clear()
    this.#follower = follow(orgId, {
      onState: (state) => this.apply(state),
      onReset: () => this.#clear(),
    })
  }

  get done(): Promise<void> {
    return this.#follower.caughtUp
  }

  #clear(): void {
    this.#revisions.clear()
    for (const name of this.conditions.keys()) this.fitting.set(name, new Set())
  }

  apply({ id, revision, metadata = {} }: TypedAsset): void {
    if ((this.#revisions.get(id) ?? -1) > revision) return
    this.#revisions.set(id, revision)
    for (const [name, condition] of this.conditions)
      if (hasAll(metadata, condition)) this.fitting.get(name)?.add(id)
      else this.fitting.get(name)?.delete(id)
  }

  stop(): void {
    this.#follower.stop()
  }
}

type Org = { now: Reading | undefined; next: Reading | undefined; kept: ReadonlySet<string> }

/**
 * Which assets have the metadata that rules ask for. No table has it: an organization that asks has its states read once for each
 * new condition, and followed from then on. Organizations that do not ask cost nothing.
 */
export class MetadataMatches {
  readonly #follow: FollowAssets
  readonly #orgs = new Map<number, Org>()
  /** Called when rules of an organization can be judged that could not before. */
  onReady: (orgId: number) => void = () => undefined

  constructor(follow: FollowAssets) {
    this.#follow = follow
  }

  /** Undefined while the states are being read. */
  find(orgId: number, condition: Condition): ReadonlySet<number> | undefined {
    return this.#orgs.get(orgId)?.now?.fitting.get(nameOf(condition))
  }

  /** Whether a rule of the organization cannot be judged yet. */
  isWaiting(orgId: number): boolean {
    const org = this.#orgs.get(orgId)
    return org !== undefined && [...org.kept].some((name) => org.now?.fitting.has(name) !== true)
  }

  /** Resolves when the assets that fit are known. */
  async want(orgId: number, condition: Condition): Promise<void> {
    const org = this.#orgs.get(orgId) ?? { now: undefined, next: undefined, kept: new Set() }
    this.#orgs.set(orgId, org)
    const name = nameOf(condition)
    if (org.now?.fitting.has(name)) return
    if (!org.next?.fitting.has(name)) {
      const known = org.next?.conditions ?? org.now?.conditions ?? new Map<string, Condition>()
      this.#read(orgId, org, new Map([...known, [name, condition]]))
    }
    await org.next?.done
  }

  #read(orgId: number, org: Org, conditions: ReadonlyMap<string, Condition>): void {
    org.next?.stop()
    const next = new Reading(conditions, orgId, this.#follow)
    org.next = next
    void next.done.then(() => {
      if (org.next !== next) return undefined // a later one reads more
      org.now?.stop()
      org.now = next
      org.next = undefined
      return this.onReady(orgId)
    })
  }

  /** The conditions of the stored rules. Others go with the next reading. */
  keep(orgId: number, conditions: readonly Condition[]): Promise<unknown> {
    const org = this.#orgs.get(orgId)
    if (conditions.length === 0) {
      org?.now?.stop()
      org?.next?.stop()
      this.#orgs.delete(orgId)
      return Promise.resolve()
    }
    const wanted = Promise.all(conditions.map((condition) => this.want(orgId, condition)))
    const kept = this.#orgs.get(orgId)
    if (kept) kept.kept = new Set(conditions.map(nameOf))
    return wanted
  }

  /** A state that its table has already. */
  apply(state: TypedAsset): void {
    const org = this.#orgs.get(state.org_id)
    org?.now?.apply(state)
    org?.next?.apply(state)
  }

  stop(): void {
    for (const orgId of this.#orgs.keys()) void this.keep(orgId, [])
  }
}

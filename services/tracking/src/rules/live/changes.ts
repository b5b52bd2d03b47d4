import type { ResolvedBecause } from '@whereabouts/contracts/resources/rules/alerts'
import type { Held } from '../decide/holds.ts'
import type { BookedRule } from '../settings/rule-book.ts'
import type { HoldKey, StoredHold } from './holds.queries.ts'

export type Ending = { atMs: number; because: ResolvedBecause }

/** An alert to raise. `ending`: it is over already. */
export type Raised = {
  rule: BookedRule
  subjectType: 'asset' | 'reader'
  subjectId: number
  locationId: number | null
  atMs: number
  ending?: Ending
}

export type Resolved = Ending & { orgId: number; ruleId: number; alertId: number }

/** Where an asset was before a hold changes, and is afterwards. */
export type Places = { before: number | null; after: number | null }

/** What a transaction changes of holds and alerts. */
export class Changes {
  readonly raised: Raised[] = []
  readonly resolved: Resolved[] = []
  readonly #holds = new Map<string, StoredHold | undefined>()
  readonly #keys = new Map<string, HoldKey>()
  readonly #open = new Map<string, Raised>()

  /** The holds to store: those of an alert that is being raised have no `alertId` yet. */
  get saved(): StoredHold[] {
    return [...this.#holds.values()].filter((hold) => hold !== undefined)
  }

  get deleted(): HoldKey[] {
    return [...this.#holds].flatMap(([name, hold]) => (hold ? [] : (this.#keys.get(name) ?? [])))
  }

  /** The alert that this transaction raises for a hold. */
  raisedFor(key: HoldKey): Raised | undefined {
    return this.#open.get(nameOf(key))
  }

  /** The hold as it is by now; undefined if nothing of it changed. */
  has(key: HoldKey): boolean {
    return this.#holds.has(nameOf(key))
  }

  now(key: HoldKey): StoredHold | undefined {
    return this.#holds.get(nameOf(key))
  }

  /** Notes what became of a hold. An alert that was due before the asset moved is about the place before. */
  note(
    rule: BookedRule,
    subject: { type: 'asset' | 'reader'; id: number },
    before: StoredHold | undefined,
    { hold, outcomes }: Held,
    places: Places,
  ): void {
    if (!before && !hold && outcomes.length === 0) return
    if (before && hold && outcomes.length === 0 && before.dueMs === hold.dueMs) return
    const key: HoldKey = { orgId: rule.orgId, ruleId: rule.id, subjectId: subject.id }
    let alertId = before?.alertId ?? null
    for (const outcome of outcomes) {
      if (outcome.what === 'raised') {
        const origin = (before ?? hold)?.originId ?? null
        const place = before ? places.before : places.after
        const locationId = rule.kind === 'left' ? origin : place
        const raised: Raised = {
          rule,
          subjectType: subject.type,
          subjectId: subject.id,
          locationId,
          atMs: outcome.atMs,
        }
        this.raised.push(raised)
        this.#open.set(nameOf(key), raised)
      } else {
        this.end(key, alertId, { atMs: outcome.atMs, because: outcome.because })
        alertId = null
      }
    }
    this.#set(key, hold && { ...key, revision: rule.revision, ...hold, alertId })
  }

  /** Ends an alert, also one that this transaction raises. */
  end(key: HoldKey, alertId: number | null, ending: Ending): void {
    const raised = this.#open.get(nameOf(key))
    if (raised) {
      raised.ending = ending
      this.#open.delete(nameOf(key))
    } else if (alertId !== null) {
      this.resolved.push({ orgId: key.orgId, ruleId: key.ruleId, alertId, ...ending })
    }
  }

  /** Deletes a hold, and ends its alert. */
  drop(hold: StoredHold, ending: Ending): void {
    this.end(hold, hold.alertId, ending)
    this.#set(hold, undefined)
  }

  #set(key: HoldKey, hold: StoredHold | undefined): void {
    this.#holds.set(nameOf(key), hold)
    this.#keys.set(nameOf(key), key)
  }
}

const nameOf = ({ orgId, ruleId, subjectId }: HoldKey) => `${orgId} ${ruleId} ${subjectId}`

import { limits } from '@whereabouts/contracts/limits'
import { tooManyEventStreams } from '../errors.ts'

const MOST = limits.eventStreams.organization

/** Counts the streams of this process, and the polls that are held. No organization can take the place of another. */
export class EventPlaces {
  readonly #taken = new Map<number, number>()

  /** Throws 429 if the organization has its share. The returned function frees the place; more calls do nothing. */
  take(orgId: number): () => void {
    const taken = this.#taken.get(orgId) ?? 0
    if (taken >= MOST) throw tooManyEventStreams(MOST)
    this.#taken.set(orgId, taken + 1)
    let isFree = false
    return () => {
      if (isFree) return
      isFree = true
      const left = (this.#taken.get(orgId) ?? 0) - 1
      if (left > 0) this.#taken.set(orgId, left)
      else this.#taken.delete(orgId)
    }
  }

  /** Of all organizations. */
  get size(): number {
    return this.#taken.values().reduce((sum, taken) => sum + taken, 0)
  }
}

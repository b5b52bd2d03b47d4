import { tooManyDownloads } from '../../../errors.ts'

/** In each process. Each holds a part of a file in memory; a tool that reads ranges opens several at a time. */
const MOST_DOWNLOADS = 32

/** Counts the downloads of each organization. */
export class Downloads {
  readonly #underWay = new Map<number, number>()

  /** Throws 429. The caller must call the returned function once, at the end. */
  begin(orgId: number): () => void {
    const count = this.#underWay.get(orgId) ?? 0
    if (count >= MOST_DOWNLOADS) throw tooManyDownloads(MOST_DOWNLOADS)
    this.#underWay.set(orgId, count + 1)
    return () => {
      const left = (this.#underWay.get(orgId) ?? 1) - 1
      if (left === 0) this.#underWay.delete(orgId)
      else this.#underWay.set(orgId, left)
    }
  }
}

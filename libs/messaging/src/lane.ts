import type { Delivery } from './delivery.ts'

/** The groups that one lane of a consumer is handling. No other lane may take them, or their order would be lost. */
export class Lane {
  readonly #counts = new Map<string, number>()

  has(group: string): boolean {
    return this.#counts.has(group)
  }

  add(deliveries: readonly Delivery[]): void {
    for (const { group } of deliveries) this.#counts.set(group, (this.#counts.get(group) ?? 0) + 1)
  }

  remove(deliveries: readonly Delivery[]): void {
    for (const { group } of deliveries) {
      const left = (this.#counts.get(group) ?? 0) - 1
      if (left > 0) this.#counts.set(group, left)
      else this.#counts.delete(group)
    }
  }
}

/** True if deliveries of the group may be taken now. */
export type MayTake = (group: string) => boolean

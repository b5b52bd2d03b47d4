/** Calls many at the same intervals, with one timer for all: thousands of deliveries wait at a time. */
export class Heart {
  readonly #everyMs: number
  readonly #beats = new Set<() => void>()
  #timer: NodeJS.Timeout | undefined

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  /** Calls `beat` from now on, the first time within one interval, until the answer is called. */
  beatFor(beat: () => void): () => void {
    const mine = () => beat() // of its own, should the same function come twice
    this.#beats.add(mine)
    this.#timer ??= setInterval(() => this.#all(), this.#everyMs)
    return () => {
      this.#beats.delete(mine)
      if (this.#beats.size > 0) return
      clearInterval(this.#timer)
      this.#timer = undefined
    }
  }

  #all(): void {
    for (const beat of this.#beats) beat()
  }
}

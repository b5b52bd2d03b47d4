/** Calls many functions at one interval with one timer, because thousands of deliveries wait at once. */
export class HeartbeatTimer {
  readonly #everyMs: number
  readonly #beats = new Set<() => void>()
  #timer: NodeJS.Timeout | undefined

  constructor(everyMs: number) {
    this.#everyMs = everyMs
  }

  /** Calls `beat` once per interval, the first time within one interval. Returns a function that stops it. */
  every(beat: () => void): () => void {
    const mine = () => beat() // a new function, because the same one may be added twice
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

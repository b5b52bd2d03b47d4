import { HandedBack } from './handed-back.ts'

/** A limit shared by all lanes. Who waits gets the next free slot in order of asking. */
export class Slots {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(size: number) {
    this.#free = size
  }

  get waiting(): number {
    return this.#waiting.size
  }

  /** Runs `work` in a slot. Rejects with HandedBack when `stopping` aborts before its turn. */
  async use<T>(stopping: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#turn(stopping)
    try {
      return await work()
    } finally {
      this.#release()
    }
  }

  #turn(stopping: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (stopping.aborted) return reject(new HandedBack())
      if (this.#free > 0) {
        this.#free -= 1
        return resolve()
      }
      const giveUp = () => {
        this.#waiting.delete(go)
        reject(new HandedBack())
      }
      const go = () => {
        stopping.removeEventListener('abort', giveUp)
        resolve()
      }
      this.#waiting.add(go)
      stopping.addEventListener('abort', giveUp, { once: true })
    })
  }

  /** A slot is passed on, not freed, while somebody waits: nobody can overtake. */
  #release(): void {
    for (const go of this.#waiting) {
      this.#waiting.delete(go)
      return go()
    }
    this.#free += 1
  }
}

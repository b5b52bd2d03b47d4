/** Deliveries of the durable after which the share is counted again; pulls come in lumps of a few hundred. */
const WINDOW = 2_000
/** A replica that gets next to nothing still lets single messages through. */
const LEAST = 0.02

/**
 * Which part of a durable's messages this replica gets, from the numbers that the broker gives to deliveries: those that
 * are missing here went to other replicas. 1 until there is something to count. So the buckets of all replicas together
 * fill as fast as one would.
 */
export class ReplicaShare {
  #share = 1
  #first = 0
  #last = 0
  #seen = 0

  note(deliverySeq: number): void {
    if (this.#seen === 0 || deliverySeq <= this.#last)
      this.#begin(deliverySeq) // or the durable was made anew
    else {
      this.#seen += 1
      this.#last = deliverySeq
    }
    const advanced = this.#last - this.#first + 1
    if (advanced < WINDOW) return
    this.#share = Math.max(LEAST, this.#seen / advanced)
    this.#seen = 0
  }

  get value(): number {
    return this.#share
  }

  #begin(deliverySeq: number): void {
    this.#first = this.#last = deliverySeq
    this.#seen = 1
  }
}

/** Deliveries of the durable per count of the share. Larger than one pull, which returns a few hundred. */
const WINDOW = 2_000
/** A replica that gets almost no messages still admits single ones. */
const LEAST = 0.02

/**
 * The share of a durable's messages that this replica gets, from the broker's numbers of deliveries: missing numbers
 * went to other replicas. 1 until the first window is full. With it, the buckets of all replicas together fill as
 * fast as one bucket.
 */
export class ReplicaShare {
  #share = 1
  #first = 0
  #last = 0
  #seen = 0

  note(deliverySeq: number): void {
    if (this.#seen === 0 || deliverySeq <= this.#last) this.#begin(deliverySeq) // a lower number: the durable was re-created
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

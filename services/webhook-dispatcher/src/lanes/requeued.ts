/** The process stopped before the delivery ended, so its message goes back to the stream. */
export class Requeued extends Error {
  override readonly name = 'Requeued'
  constructor() {
    super('delivery was requeued')
  }
}
